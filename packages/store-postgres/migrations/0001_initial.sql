-- Columns are the records' fields, by name: times are ISO 8601 text with milliseconds, and text is in the order of
-- its bytes (COLLATE "C"). Objects and lists are json, not jsonb, which would change the order of their keys.
-- Every filter of a list has an index of its own that begins with the scope and ends with the id.
-- IS NOT NULL, also where nothing is null, keeps an index from those who look for an id: without statistics Postgres takes
-- it for as good as the primary key, and would read all of a scope along it.
-- Runs with search_path set to the schema of the store.

CREATE TABLE "workspaces" (
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  "name" text COLLATE "C" NOT NULL,
  "api_enabled" boolean NOT NULL,
  "refunds_enabled" boolean NOT NULL,
  "created_at" text COLLATE "C" NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
);

CREATE TABLE "api_keys" (
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  "type" text COLLATE "C" NOT NULL CHECK ("type" IN ('secret', 'publishable')),
  "name" text COLLATE "C" NOT NULL,
  "scopes" json NOT NULL,
  "hash" text COLLATE "C" NOT NULL,
  "start" text COLLATE "C" NOT NULL,
  "end" text COLLATE "C" NOT NULL,
  "created_at" text COLLATE "C" NOT NULL,
  "revoked_at" text COLLATE "C",
  PRIMARY KEY ("workspace", "livemode", "id")
);
CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" ("hash");

CREATE TABLE "customers" (
  "id" text COLLATE "C" NOT NULL,
  "reference" text COLLATE "C" NOT NULL,
  "name" text COLLATE "C" NOT NULL,
  "email" text COLLATE "C" NOT NULL,
  "phone" text COLLATE "C" NOT NULL,
  "created_at" text COLLATE "C" NOT NULL,
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
);
CREATE UNIQUE INDEX "customers_reference" ON "customers" ("workspace", "livemode", "reference") WHERE "reference" IS NOT NULL;

CREATE TABLE "payment_method_sessions" (
  "id" text COLLATE "C" NOT NULL,
  "status" text COLLATE "C" NOT NULL CHECK ("status" IN ('requires_payment_method', 'succeeded', 'canceled', 'expired')),
  "customer" text COLLATE "C",
  "payment_method_types" json NOT NULL,
  "amount" bigint CHECK ("amount" > 0),
  "currency" text COLLATE "C",
  "livemode" boolean NOT NULL,
  "expires_at" text COLLATE "C" NOT NULL,
  "canceled_at" text COLLATE "C",
  "succeeded_at" text COLLATE "C",
  "card" json,
  "us_bank_account" json,
  "ach_authorization" json,
  "payment_method" text COLLATE "C",
  "created_at" text COLLATE "C" NOT NULL,
  "workspace" text COLLATE "C" NOT NULL,
  "changed_at" text COLLATE "C" NOT NULL,
  "due_at" text COLLATE "C",
  "token" text COLLATE "C",
  "billing_details" json,
  PRIMARY KEY ("workspace", "livemode", "id")
);
CREATE INDEX "payment_method_sessions_due" ON "payment_method_sessions" ("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "payment_methods" (
  "id" text COLLATE "C" NOT NULL,
  "type" text COLLATE "C" NOT NULL CHECK ("type" IN ('card', 'us_bank_account')),
  "usage" text COLLATE "C" NOT NULL CHECK ("usage" IN ('saved', 'one_time')),
  "status" text COLLATE "C" NOT NULL CHECK ("status" IN ('active', 'consumed', 'expired', 'detached')),
  "customer" text COLLATE "C",
  "session" text COLLATE "C" NOT NULL,
  "card" json,
  "us_bank_account" json,
  "billing_details" json NOT NULL,
  "livemode" boolean NOT NULL,
  "expires_at" text COLLATE "C",
  "created_at" text COLLATE "C" NOT NULL,
  "workspace" text COLLATE "C" NOT NULL,
  "changed_at" text COLLATE "C" NOT NULL,
  "due_at" text COLLATE "C",
  "token" text COLLATE "C" NOT NULL,
  "authorized_amount" bigint CHECK ("authorized_amount" > 0),
  "terms_version" text COLLATE "C",
  "charging_payment" text COLLATE "C",
  PRIMARY KEY ("workspace", "livemode", "id")
);
CREATE UNIQUE INDEX "payment_methods_session" ON "payment_methods" ("workspace", "livemode", "session") WHERE "session" IS NOT NULL;
CREATE INDEX "payment_methods_by_customer" ON "payment_methods" ("workspace", "livemode", "customer", "id") WHERE "customer" IS NOT NULL;
CREATE INDEX "payment_methods_due" ON "payment_methods" ("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "payments" (
  "id" text COLLATE "C" NOT NULL,
  "status" text COLLATE "C" CHECK ("status" IN ('processing', 'authorized', 'succeeded', 'failed', 'canceled', 'returned')),
  "amount" bigint NOT NULL CHECK ("amount" > 0),
  "amount_refunded" bigint NOT NULL CHECK ("amount_refunded" >= 0),
  "currency" text COLLATE "C" NOT NULL CHECK ("currency" IN ('USD', 'CAD')),
  "customer" text COLLATE "C",
  "payment_method" text COLLATE "C" NOT NULL,
  "payment_method_type" text COLLATE "C" NOT NULL CHECK ("payment_method_type" IN ('card', 'us_bank_account')),
  "checkout_session" text COLLATE "C",
  "invoice" text COLLATE "C",
  "reference" text COLLATE "C",
  "description" text COLLATE "C",
  "metadata" json NOT NULL,
  "failure" json,
  "livemode" boolean NOT NULL,
  "created_at" text COLLATE "C" NOT NULL,
  "succeeded_at" text COLLATE "C",
  "failed_at" text COLLATE "C",
  "canceled_at" text COLLATE "C",
  "returned_at" text COLLATE "C",
  "workspace" text COLLATE "C" NOT NULL,
  "changed_at" text COLLATE "C" NOT NULL,
  "due_at" text COLLATE "C",
  "listed" boolean NOT NULL,
  "source" text COLLATE "C" NOT NULL CHECK ("source" IN ('api', 'invoice_page')),
  "refunds_succeeded" bigint NOT NULL CHECK ("refunds_succeeded" >= 0),
  "lookups" bigint NOT NULL CHECK ("lookups" >= 0),
  "evidence" text COLLATE "C" CHECK ("evidence" IN ('answer', 'no_answer', 'lookup', 'notification', 'never_sent', 'not_found')),
  PRIMARY KEY ("workspace", "livemode", "id")
);
CREATE INDEX "payments_listed" ON "payments" ("workspace", "livemode", "id") WHERE "listed";
CREATE INDEX "payments_by_status" ON "payments" ("workspace", "livemode", "status", "id") WHERE "listed";
CREATE INDEX "payments_by_customer" ON "payments" ("workspace", "livemode", "customer", "id") WHERE "listed" AND "customer" IS NOT NULL;
CREATE INDEX "payments_due" ON "payments" ("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "refunds" (
  "id" text COLLATE "C" NOT NULL,
  "payment" text COLLATE "C" NOT NULL,
  "status" text COLLATE "C" CHECK ("status" IN ('pending', 'succeeded', 'failed')),
  "amount" bigint NOT NULL CHECK ("amount" > 0),
  "currency" text COLLATE "C" NOT NULL CHECK ("currency" IN ('USD', 'CAD')),
  "reason" text COLLATE "C",
  "metadata" json NOT NULL,
  "failure" json,
  "livemode" boolean NOT NULL,
  "created_at" text COLLATE "C" NOT NULL,
  "succeeded_at" text COLLATE "C",
  "failed_at" text COLLATE "C",
  "workspace" text COLLATE "C" NOT NULL,
  "changed_at" text COLLATE "C" NOT NULL,
  "due_at" text COLLATE "C",
  "listed" boolean NOT NULL,
  "pending_of" text COLLATE "C",
  "lookups" bigint NOT NULL CHECK ("lookups" >= 0),
  "evidence" text COLLATE "C" CHECK ("evidence" IN ('answer', 'no_answer', 'lookup', 'notification', 'never_sent', 'not_found')),
  PRIMARY KEY ("workspace", "livemode", "id")
);
CREATE UNIQUE INDEX "refunds_pending_of" ON "refunds" ("workspace", "livemode", "pending_of") WHERE "pending_of" IS NOT NULL;
CREATE INDEX "refunds_listed" ON "refunds" ("workspace", "livemode", "id") WHERE "listed";
CREATE INDEX "refunds_by_payment" ON "refunds" ("workspace", "livemode", "payment", "id") WHERE "listed";
CREATE INDEX "refunds_due" ON "refunds" ("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "checkout_sessions" (
  "id" text COLLATE "C" NOT NULL,
  "status" text COLLATE "C" NOT NULL CHECK ("status" IN ('open', 'complete', 'expired')),
  "amount" bigint NOT NULL CHECK ("amount" > 0),
  "currency" text COLLATE "C" NOT NULL CHECK ("currency" IN ('USD', 'CAD')),
  "reference" text COLLATE "C",
  "description" text COLLATE "C",
  "success_url" text COLLATE "C" NOT NULL,
  "cancel_url" text COLLATE "C" NOT NULL,
  "customer_email" text COLLATE "C",
  "customer" text COLLATE "C",
  "payment_method_types" json NOT NULL,
  "metadata" json NOT NULL,
  "payment" text COLLATE "C",
  "livemode" boolean NOT NULL,
  "expires_at" text COLLATE "C" NOT NULL,
  "completed_at" text COLLATE "C",
  "created_at" text COLLATE "C" NOT NULL,
  "workspace" text COLLATE "C" NOT NULL,
  "changed_at" text COLLATE "C" NOT NULL,
  "due_at" text COLLATE "C",
  "paying" text COLLATE "C",
  PRIMARY KEY ("workspace", "livemode", "id")
);
CREATE INDEX "checkout_sessions_due" ON "checkout_sessions" ("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "invoices" (
  "id" text COLLATE "C" NOT NULL,
  "number" text COLLATE "C",
  "external_id" text COLLATE "C",
  "customer" text COLLATE "C" NOT NULL,
  "status" text COLLATE "C" NOT NULL CHECK ("status" IN ('draft', 'open', 'paid', 'canceled')),
  "currency" text COLLATE "C" NOT NULL CHECK ("currency" IN ('USD', 'CAD')),
  "total" bigint NOT NULL CHECK ("total" >= 0),
  "amount_paid" bigint NOT NULL CHECK ("amount_paid" >= 0),
  "amount_pending" bigint NOT NULL CHECK ("amount_pending" >= 0),
  "invoice_date" text COLLATE "C" NOT NULL,
  "due_date" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "created_at" text COLLATE "C" NOT NULL,
  "workspace" text COLLATE "C" NOT NULL,
  "listed" boolean NOT NULL,
  "written_off" bigint NOT NULL CHECK ("written_off" >= 0),
  "paid_here" boolean NOT NULL,
  "early_payment_discount" json,
  "links" json NOT NULL,
  "changed_at" text COLLATE "C" NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
);
CREATE UNIQUE INDEX "invoices_external_id" ON "invoices" ("workspace", "livemode", "external_id") WHERE "external_id" IS NOT NULL;
CREATE INDEX "invoices_listed" ON "invoices" ("workspace", "livemode", "id") WHERE "listed";
CREATE INDEX "invoices_by_number" ON "invoices" ("workspace", "livemode", "number", "id") WHERE "listed" AND "number" IS NOT NULL;
CREATE INDEX "invoices_by_customer" ON "invoices" ("workspace", "livemode", "customer", "id") WHERE "listed";
CREATE INDEX "invoices_by_status" ON "invoices" ("workspace", "livemode", "status", "id") WHERE "listed";

CREATE TABLE "webhook_endpoints" (
  "id" text COLLATE "C" NOT NULL,
  "url" text COLLATE "C" NOT NULL,
  "description" text COLLATE "C" NOT NULL,
  "enabled_events" json NOT NULL,
  "status" text COLLATE "C" NOT NULL CHECK ("status" IN ('enabled', 'disabled')),
  "livemode" boolean NOT NULL,
  "created_at" text COLLATE "C" NOT NULL,
  "workspace" text COLLATE "C" NOT NULL,
  "changed_at" text COLLATE "C" NOT NULL,
  "due_at" text COLLATE "C",
  "listed" boolean NOT NULL,
  "slot" bigint,
  "encrypted_secret" text COLLATE "C" NOT NULL,
  "registered_by" text COLLATE "C",
  "quiet_since" text COLLATE "C" NOT NULL,
  "last_failure_at" text COLLATE "C",
  "exhausted_created_at" text COLLATE "C",
  PRIMARY KEY ("workspace", "livemode", "id")
);
CREATE UNIQUE INDEX "webhook_endpoints_slot" ON "webhook_endpoints" ("workspace", "livemode", "slot") WHERE "slot" IS NOT NULL;
CREATE INDEX "webhook_endpoints_listed" ON "webhook_endpoints" ("workspace", "livemode", "id") WHERE "listed";
CREATE INDEX "webhook_endpoints_due" ON "webhook_endpoints" ("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "events" (
  "id" text COLLATE "C" NOT NULL,
  "type" text COLLATE "C" NOT NULL,
  "created_at" text COLLATE "C" NOT NULL,
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "subject" text COLLATE "C" NOT NULL,
  "body" text COLLATE "C" NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
);
CREATE INDEX "events_by_type" ON "events" ("workspace", "livemode", "type", "id") WHERE "type" IS NOT NULL;

CREATE TABLE "deliveries" (
  "endpoint" text COLLATE "C" NOT NULL,
  "origin" text COLLATE "C" NOT NULL CHECK ("origin" IN ('emit', 'resend')),
  "status" text COLLATE "C" NOT NULL CHECK ("status" IN ('pending', 'succeeded', 'exhausted', 'canceled')),
  "attempt_count" bigint NOT NULL,
  "created_at" text COLLATE "C" NOT NULL,
  "last_attempt_at" text COLLATE "C",
  "next_attempt_at" text COLLATE "C",
  "last_response_status" bigint,
  "last_error" text COLLATE "C",
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  "event" text COLLATE "C" NOT NULL,
  "emit_of" text COLLATE "C",
  "pending_of" text COLLATE "C",
  "lease" bigint NOT NULL,
  "lease_until" text COLLATE "C",
  "stopped" boolean NOT NULL,
  -- In the indexes that it stays in a delivery gets a second entry when it ends: there is room for it beside the first, as
  -- to split every page costs more than the entry.
  PRIMARY KEY ("workspace", "livemode", "id") WITH (fillfactor = 45)
)
-- Until the next VACUUM a claim passes what the deliveries that have ended left in the indexes of the pending ones. By
-- default that waits for a fifth of a table that only grows, and leaves out indexes where few pages are concerned.
-- A claim changes no column that an index has, and there is room in the page: it writes the row, and no index.
WITH (fillfactor = 50, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_scale_factor = 0.01, vacuum_index_cleanup = on);
CREATE UNIQUE INDEX "deliveries_endpoint_emit_of" ON "deliveries" ("workspace", "livemode", "endpoint", "emit_of") WITH (fillfactor = 45) WHERE "emit_of" IS NOT NULL;
CREATE UNIQUE INDEX "deliveries_endpoint_pending_of" ON "deliveries" ("workspace", "livemode", "endpoint", "pending_of") WHERE "pending_of" IS NOT NULL;
CREATE INDEX "deliveries_by_event" ON "deliveries" ("workspace", "livemode", "event", "id") WITH (fillfactor = 45) WHERE "event" IS NOT NULL;
-- A claim walks from endpoint to endpoint, and takes the longest due of each.
CREATE INDEX "deliveries_queue" ON "deliveries" ("workspace", "livemode", "endpoint", "next_attempt_at", "id") WHERE "status" = 'pending';
-- The pages of what a disabled endpoint leaves pending.
CREATE INDEX "deliveries_pending" ON "deliveries" ("workspace", "livemode", "endpoint", "id") WHERE "status" = 'pending';
-- When a dispatcher should look again.
CREATE INDEX "deliveries_next" ON "deliveries" ("next_attempt_at") WHERE "status" = 'pending' AND "next_attempt_at" IS NOT NULL;

-- In place of an index of leases, a row for each scope: the ids of all deliveries with a lease, and of some whose lease
-- was released. Updated in place by every claim.
CREATE TABLE "delivery_leases" (
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "ids" text[] COLLATE "C" NOT NULL,
  PRIMARY KEY ("workspace", "livemode")
) WITH (fillfactor = 20);

CREATE TABLE "idempotency_keys" (
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  "operation" text COLLATE "C" NOT NULL,
  "fingerprint" text COLLATE "C" NOT NULL,
  "request_id" text COLLATE "C" NOT NULL,
  "lease_until" text COLLATE "C",
  "intent" text COLLATE "C",
  "answer_status" bigint,
  "answer_body" text COLLATE "C",
  "answer_event" text COLLATE "C",
  "created_at" text COLLATE "C" NOT NULL,
  "due_at" text COLLATE "C",
  PRIMARY KEY ("workspace", "livemode", "id")
);
CREATE INDEX "idempotency_keys_due" ON "idempotency_keys" ("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "audit_entries" (
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  "actor" text COLLATE "C" NOT NULL,
  "action" text COLLATE "C" NOT NULL,
  "target" text COLLATE "C" NOT NULL,
  "created_at" text COLLATE "C" NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
);

CREATE TABLE "organizations" (
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  "name" text COLLATE "C" NOT NULL,
  "slug" text COLLATE "C" NOT NULL,
  "email" text COLLATE "C" NOT NULL,
  "phone_number" text COLLATE "C" NOT NULL,
  "website" text COLLATE "C" NOT NULL,
  "created_at" text COLLATE "C" NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
);

CREATE TABLE "users" (
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  "name" text COLLATE "C" NOT NULL,
  "email" text COLLATE "C" NOT NULL,
  "password_hash" text COLLATE "C" NOT NULL,
  "created_at" text COLLATE "C" NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
);

CREATE TABLE "unique_names" (
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  "hash" text COLLATE "C" NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
);
CREATE UNIQUE INDEX "unique_names_hash" ON "unique_names" ("hash");

CREATE TABLE "integrations" (
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  "service_type_id" text COLLATE "C" NOT NULL,
  "ledger_site_id" text COLLATE "C" NOT NULL,
  "encrypted_configuration" text COLLATE "C" NOT NULL,
  "created_at" text COLLATE "C" NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
);

CREATE TABLE "connections" (
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  "kind" text COLLATE "C" NOT NULL,
  "base_url" text COLLATE "C" NOT NULL,
  "site_id" text COLLATE "C" NOT NULL,
  "encrypted_token" text COLLATE "C" NOT NULL,
  "created_at" text COLLATE "C" NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
);

CREATE TABLE "sync_runs" (
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "changed_at" text COLLATE "C" NOT NULL,
  "due_at" text COLLATE "C",
  "id" text COLLATE "C" NOT NULL,
  "connection" text COLLATE "C" NOT NULL,
  "status" text COLLATE "C" NOT NULL CHECK ("status" IN ('running', 'completed', 'failed')),
  "options" json NOT NULL,
  "unfinished_of" text COLLATE "C",
  "cursor" text COLLATE "C",
  "pages" bigint NOT NULL CHECK ("pages" >= 0),
  "created" bigint NOT NULL CHECK ("created" >= 0),
  "updated" bigint NOT NULL CHECK ("updated" >= 0),
  "unchanged" bigint NOT NULL CHECK ("unchanged" >= 0),
  "skipped" bigint NOT NULL CHECK ("skipped" >= 0),
  "failures" bigint NOT NULL CHECK ("failures" >= 0),
  "failure" json,
  "created_at" text COLLATE "C" NOT NULL,
  "finished_at" text COLLATE "C",
  PRIMARY KEY ("workspace", "livemode", "id")
);
CREATE UNIQUE INDEX "sync_runs_unfinished_of" ON "sync_runs" ("workspace", "livemode", "unfinished_of") WHERE "unfinished_of" IS NOT NULL;
CREATE INDEX "sync_runs_by_connection" ON "sync_runs" ("workspace", "livemode", "connection", "id") WHERE "connection" IS NOT NULL;
CREATE INDEX "sync_runs_due" ON "sync_runs" ("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "ledger_invoices" (
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  "connection" text COLLATE "C" NOT NULL,
  "written_off" bigint NOT NULL CHECK ("written_off" >= 0),
  "said" text COLLATE "C",
  "changed_at" text COLLATE "C" NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
);

CREATE TABLE "cursors" (
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  "value" text COLLATE "C" NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
);

CREATE TABLE "held_notifications" (
  "workspace" text COLLATE "C" NOT NULL,
  "livemode" boolean NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  "notifications" json NOT NULL,
  "tries" bigint NOT NULL CHECK ("tries" >= 0),
  "due_at" text COLLATE "C",
  PRIMARY KEY ("workspace", "livemode", "id")
);
CREATE INDEX "held_notifications_due" ON "held_notifications" ("due_at") WHERE "due_at" IS NOT NULL;

-- One row for each connection that has committed: how many commits it has made. A unit of work raises its number
-- in the transaction itself, so that after a COMMIT whose answer was lost the row says what became of it.
-- Updated in place at every commit, hence room in the page and no index but the key.
CREATE TABLE "commit_markers" (
  "connection" text COLLATE "C" NOT NULL,
  "commits" bigint NOT NULL,
  "used_at" timestamptz NOT NULL,
  PRIMARY KEY ("connection")
) WITH (fillfactor = 20);
