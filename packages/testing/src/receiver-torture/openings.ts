import { alike, shown } from './effects.ts'
import { inOrder } from './stories.ts'
import { isTaken, type Trial } from './trial.ts'

/** This many events in a row have to be accepted before anything else is worth testing. */
const in_a_row = 20

/** A receiver that does not take events one by one and in order seems to do everything else wrong. */
export const openings: readonly Trial[] = [
  {
    rule: 'event after event is taken, and what is answered 2xx is kept',
    comes_first: true,
    async run(bench) {
      for (let sent = 1; sent <= in_a_row; sent += 1) {
        const story = await bench.begun()
        const answer = await bench.deliver(story.event)
        if (isTaken(answer) && (await bench.hasActed(story))) continue
        const lost = `${answer.says}, and no effect of number ${sent}: it was answered before it was saved, and lost`
        return [
          {
            sent: `${in_a_row} events of different objects, one after another`,
            expected: 'a 2xx to each, and its effect',
            got: isTaken(answer) ? lost : answer.says,
          },
        ]
      }
      return []
    },
  },
  {
    rule: 'an event is acted on after those that come before it, too',
    comes_first: true,
    async run(bench) {
      const alone = await bench.after(({ event }) => [event])
      const story = await bench.told()
      await bench.deliverAll(story.before)
      const meanwhile = await bench.effects(story)
      await bench.deliver(story.event)
      const all = await bench.effects(story)
      if (!alike(all, meanwhile) || alike(all, alone)) return []
      const sent = inOrder(story)
        .map(({ type }) => `a ${type}`)
        .join(', then ')
      const expected = `as after the ${story.event.type} alone: ${shown(alone)}`
      return [{ sent, expected, got: shown(all) }]
    },
  },
]
