/** A queue by due time, earliest first; among equals, the first pushed. A binary heap. */
export interface DueQueue<Item extends { due_ms: number }> {
  push(item: Item): void
  peek(): Item | undefined
  pop(): Item | undefined
}

export function dueQueue<Item extends { due_ms: number }>(): DueQueue<Item> {
  const heap: Slot<Item>[] = []
  let pushed = 0
  return {
    push(item) {
      pushed += 1
      heap.push({ item, order: pushed })
      siftUp(heap)
    },
    peek: () => heap[0]?.item,
    pop() {
      const first = heap[0]
      const last = heap.pop()
      if (last !== undefined && last !== first) siftDown(heap, last)
      return first?.item
    },
  }
}

interface Slot<Item> {
  item: Item
  order: number
}

function siftUp<Item extends { due_ms: number }>(heap: Slot<Item>[]): void {
  let index = heap.length - 1
  const moved = heap[index]
  if (moved === undefined) return
  while (index > 0) {
    const above = (index - 1) >> 1
    const parent = heap[above]
    if (parent === undefined || !isBefore(moved, parent)) break
    heap[index] = parent
    index = above
  }
  heap[index] = moved
}

/** Replaces the first item by `moved`. */
function siftDown<Item extends { due_ms: number }>(heap: Slot<Item>[], moved: Slot<Item>): void {
  let index = 0
  for (;;) {
    let below = 2 * index + 1
    let child = heap[below]
    const right = heap[below + 1]
    if (child !== undefined && right !== undefined && isBefore(right, child)) {
      below += 1
      child = right
    }
    if (child === undefined || !isBefore(child, moved)) break
    heap[index] = child
    index = below
  }
  heap[index] = moved
}

function isBefore<Item extends { due_ms: number }>(a: Slot<Item>, b: Slot<Item>): boolean {
  return a.item.due_ms === b.item.due_ms ? a.order < b.order : a.item.due_ms < b.item.due_ms
}
