import { createKey } from '../api-keys/create-key.ts'
import { revokeKey } from '../api-keys/revoke-key.ts'
import { rotateKey } from '../api-keys/rotate-key.ts'
import { createCustomer } from '../customers/create-customer.ts'
import { updateCustomer } from '../customers/update-customer.ts'
import { cancelInvoice } from '../invoices/cancel-invoice.ts'
import { draftInvoice } from '../invoices/draft-invoice.ts'
import { revokeInvoiceLinks } from '../invoices/revoke-invoice-links.ts'
import { scheduleInvoice } from '../invoices/schedule-invoice.ts'
import { sendInvoice } from '../invoices/send-invoice.ts'
import { writeOffInvoice } from '../invoices/write-off-invoice.ts'
import { registerEndpointAction } from '../webhook-endpoints/create-endpoint.ts'
import { deleteEndpointAction } from '../webhook-endpoints/delete-endpoint.ts'
import { updateEndpointAction } from '../webhook-endpoints/update-endpoint.ts'
import { createWorkspace } from '../workspaces/create-workspace.ts'
import { updateWorkspace } from '../workspaces/update-workspace.ts'

/** What a dashboard user does in one unit of work. `engine.admin` adds what asks the processor, and the lists: see `admin.ts`. */
export const actions = {
  workspaces: { create: createWorkspace, update: updateWorkspace },
  keys: { create: createKey, rotate: rotateKey, revoke: revokeKey },
  customers: { create: createCustomer, update: updateCustomer },
  invoices: {
    draft: draftInvoice,
    schedule: scheduleInvoice,
    send: sendInvoice,
    revokeLinks: revokeInvoiceLinks,
    cancel: cancelInvoice,
    writeOff: writeOffInvoice,
  },
  webhook_endpoints: {
    register: registerEndpointAction,
    update: updateEndpointAction,
    delete: deleteEndpointAction,
  },
} as const
