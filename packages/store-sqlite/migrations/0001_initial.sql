-- Tables and indexes begin with quittance_, for they may stand beside the host's own.
-- Columns are the records' fields, by name: times are ISO 8601 text with milliseconds, yes and no are 1 and 0,
-- objects and lists are JSON text. Rows of a scope are together and in the order of their ids.
-- Every filter of a list has an index of its own that begins with the scope and ends with the id.

CREATE TABLE "quittance_workspaces" (
  "workspace" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "api_enabled" INTEGER NOT NULL CHECK ("api_enabled" IN (0, 1)),
  "refunds_enabled" INTEGER NOT NULL CHECK ("refunds_enabled" IN (0, 1)),
  "created_at" TEXT NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;

CREATE TABLE "quittance_api_keys" (
  "workspace" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "id" TEXT NOT NULL,
  "type" TEXT NOT NULL CHECK ("type" IN ('secret', 'publishable')),
  "name" TEXT NOT NULL,
  "scopes" TEXT NOT NULL CHECK (json_valid("scopes")),
  "hash" TEXT NOT NULL,
  "start" TEXT NOT NULL,
  "end" TEXT NOT NULL,
  "created_at" TEXT NOT NULL,
  "revoked_at" TEXT,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;
CREATE UNIQUE INDEX "quittance_api_keys_hash" ON "quittance_api_keys" ("hash");

CREATE TABLE "quittance_customers" (
  "id" TEXT NOT NULL,
  "reference" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "email" TEXT NOT NULL,
  "phone" TEXT NOT NULL,
  "created_at" TEXT NOT NULL,
  "workspace" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;
CREATE UNIQUE INDEX "quittance_customers_reference" ON "quittance_customers" ("workspace", "livemode", "reference");

CREATE TABLE "quittance_payment_method_sessions" (
  "id" TEXT NOT NULL,
  "status" TEXT NOT NULL CHECK ("status" IN ('requires_payment_method', 'succeeded', 'canceled', 'expired')),
  "customer" TEXT,
  "payment_method_types" TEXT NOT NULL CHECK (json_valid("payment_method_types")),
  "amount" INTEGER CHECK ("amount" > 0),
  "currency" TEXT,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "expires_at" TEXT NOT NULL,
  "canceled_at" TEXT,
  "succeeded_at" TEXT,
  "card" TEXT CHECK (json_valid("card")),
  "us_bank_account" TEXT CHECK (json_valid("us_bank_account")),
  "ach_authorization" TEXT CHECK (json_valid("ach_authorization")),
  "payment_method" TEXT,
  "created_at" TEXT NOT NULL,
  "workspace" TEXT NOT NULL,
  "changed_at" TEXT NOT NULL,
  "due_at" TEXT,
  "token" TEXT,
  "billing_details" TEXT CHECK (json_valid("billing_details")),
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;
CREATE INDEX "quittance_payment_method_sessions_due" ON "quittance_payment_method_sessions" ("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "quittance_payment_methods" (
  "id" TEXT NOT NULL,
  "type" TEXT NOT NULL CHECK ("type" IN ('card', 'us_bank_account')),
  "usage" TEXT NOT NULL CHECK ("usage" IN ('saved', 'one_time')),
  "status" TEXT NOT NULL CHECK ("status" IN ('active', 'consumed', 'expired', 'detached')),
  "customer" TEXT,
  "session" TEXT NOT NULL,
  "card" TEXT CHECK (json_valid("card")),
  "us_bank_account" TEXT CHECK (json_valid("us_bank_account")),
  "billing_details" TEXT NOT NULL CHECK (json_valid("billing_details")),
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "expires_at" TEXT,
  "created_at" TEXT NOT NULL,
  "workspace" TEXT NOT NULL,
  "changed_at" TEXT NOT NULL,
  "due_at" TEXT,
  "token" TEXT NOT NULL,
  "authorized_amount" INTEGER CHECK ("authorized_amount" > 0),
  "terms_version" TEXT,
  "charging_payment" TEXT,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;
CREATE UNIQUE INDEX "quittance_payment_methods_session" ON "quittance_payment_methods" ("workspace", "livemode", "session");
CREATE INDEX "quittance_payment_methods_by_customer" ON "quittance_payment_methods" ("workspace", "livemode", "customer", "id") WHERE "customer" IS NOT NULL;
CREATE INDEX "quittance_payment_methods_due" ON "quittance_payment_methods" ("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "quittance_payments" (
  "id" TEXT NOT NULL,
  "status" TEXT CHECK ("status" IN ('processing', 'authorized', 'succeeded', 'failed', 'canceled', 'returned')),
  "amount" INTEGER NOT NULL CHECK ("amount" > 0),
  "amount_refunded" INTEGER NOT NULL CHECK ("amount_refunded" >= 0),
  "currency" TEXT NOT NULL CHECK ("currency" IN ('USD', 'CAD')),
  "customer" TEXT,
  "payment_method" TEXT NOT NULL,
  "payment_method_type" TEXT NOT NULL CHECK ("payment_method_type" IN ('card', 'us_bank_account')),
  "checkout_session" TEXT,
  "invoice" TEXT,
  "reference" TEXT,
  "description" TEXT,
  "metadata" TEXT NOT NULL CHECK (json_valid("metadata")),
  "failure" TEXT CHECK (json_valid("failure")),
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "created_at" TEXT NOT NULL,
  "succeeded_at" TEXT,
  "failed_at" TEXT,
  "canceled_at" TEXT,
  "returned_at" TEXT,
  "workspace" TEXT NOT NULL,
  "changed_at" TEXT NOT NULL,
  "due_at" TEXT,
  "listed" INTEGER NOT NULL CHECK ("listed" IN (0, 1)),
  "source" TEXT NOT NULL CHECK ("source" IN ('api', 'invoice_page')),
  "refunds_succeeded" INTEGER NOT NULL CHECK ("refunds_succeeded" >= 0),
  "lookups" INTEGER NOT NULL CHECK ("lookups" >= 0),
  "evidence" TEXT CHECK ("evidence" IN ('answer', 'no_answer', 'lookup', 'notification', 'never_sent', 'not_found')),
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;
CREATE INDEX "quittance_payments_listed" ON "quittance_payments" ("workspace", "livemode", "id") WHERE "listed" = 1;
CREATE INDEX "quittance_payments_by_status" ON "quittance_payments" ("workspace", "livemode", "status", "id") WHERE "listed" = 1;
CREATE INDEX "quittance_payments_by_customer" ON "quittance_payments" ("workspace", "livemode", "customer", "id") WHERE "listed" = 1 AND "customer" IS NOT NULL;
CREATE INDEX "quittance_payments_due" ON "quittance_payments" ("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "quittance_refunds" (
  "id" TEXT NOT NULL,
  "payment" TEXT NOT NULL,
  "status" TEXT CHECK ("status" IN ('pending', 'succeeded', 'failed')),
  "amount" INTEGER NOT NULL CHECK ("amount" > 0),
  "currency" TEXT NOT NULL CHECK ("currency" IN ('USD', 'CAD')),
  "reason" TEXT,
  "metadata" TEXT NOT NULL CHECK (json_valid("metadata")),
  "failure" TEXT CHECK (json_valid("failure")),
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "created_at" TEXT NOT NULL,
  "succeeded_at" TEXT,
  "failed_at" TEXT,
  "workspace" TEXT NOT NULL,
  "changed_at" TEXT NOT NULL,
  "due_at" TEXT,
  "listed" INTEGER NOT NULL CHECK ("listed" IN (0, 1)),
  "pending_of" TEXT,
  "lookups" INTEGER NOT NULL CHECK ("lookups" >= 0),
  "evidence" TEXT CHECK ("evidence" IN ('answer', 'no_answer', 'lookup', 'notification', 'never_sent', 'not_found')),
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;
CREATE UNIQUE INDEX "quittance_refunds_pending_of" ON "quittance_refunds" ("workspace", "livemode", "pending_of") WHERE "pending_of" IS NOT NULL;
CREATE INDEX "quittance_refunds_listed" ON "quittance_refunds" ("workspace", "livemode", "id") WHERE "listed" = 1;
CREATE INDEX "quittance_refunds_by_payment" ON "quittance_refunds" ("workspace", "livemode", "payment", "id") WHERE "listed" = 1;
CREATE INDEX "quittance_refunds_due" ON "quittance_refunds" ("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "quittance_checkout_sessions" (
  "id" TEXT NOT NULL,
  "status" TEXT NOT NULL CHECK ("status" IN ('open', 'complete', 'expired')),
  "amount" INTEGER NOT NULL CHECK ("amount" > 0),
  "currency" TEXT NOT NULL CHECK ("currency" IN ('USD', 'CAD')),
  "reference" TEXT,
  "description" TEXT,
  "success_url" TEXT NOT NULL,
  "cancel_url" TEXT NOT NULL,
  "customer_email" TEXT,
  "customer" TEXT,
  "payment_method_types" TEXT NOT NULL CHECK (json_valid("payment_method_types")),
  "metadata" TEXT NOT NULL CHECK (json_valid("metadata")),
  "payment" TEXT,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "expires_at" TEXT NOT NULL,
  "completed_at" TEXT,
  "created_at" TEXT NOT NULL,
  "workspace" TEXT NOT NULL,
  "changed_at" TEXT NOT NULL,
  "due_at" TEXT,
  "paying" TEXT,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;
CREATE INDEX "quittance_checkout_sessions_due" ON "quittance_checkout_sessions" ("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "quittance_invoices" (
  "id" TEXT NOT NULL,
  "number" TEXT,
  "external_id" TEXT,
  "customer" TEXT NOT NULL,
  "status" TEXT NOT NULL CHECK ("status" IN ('draft', 'open', 'paid', 'canceled')),
  "currency" TEXT NOT NULL CHECK ("currency" IN ('USD', 'CAD')),
  "total" INTEGER NOT NULL CHECK ("total" >= 0),
  "amount_paid" INTEGER NOT NULL CHECK ("amount_paid" >= 0),
  "amount_pending" INTEGER NOT NULL CHECK ("amount_pending" >= 0),
  "invoice_date" TEXT NOT NULL,
  "due_date" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "created_at" TEXT NOT NULL,
  "workspace" TEXT NOT NULL,
  "listed" INTEGER NOT NULL CHECK ("listed" IN (0, 1)),
  "written_off" INTEGER NOT NULL CHECK ("written_off" >= 0),
  "paid_here" INTEGER NOT NULL CHECK ("paid_here" IN (0, 1)),
  "early_payment_discount" TEXT CHECK (json_valid("early_payment_discount")),
  "links" TEXT NOT NULL CHECK (json_valid("links")),
  "changed_at" TEXT NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;
CREATE UNIQUE INDEX "quittance_invoices_external_id" ON "quittance_invoices" ("workspace", "livemode", "external_id") WHERE "external_id" IS NOT NULL;
CREATE INDEX "quittance_invoices_listed" ON "quittance_invoices" ("workspace", "livemode", "id") WHERE "listed" = 1;
CREATE INDEX "quittance_invoices_by_number" ON "quittance_invoices" ("workspace", "livemode", "number", "id") WHERE "listed" = 1 AND "number" IS NOT NULL;
CREATE INDEX "quittance_invoices_by_customer" ON "quittance_invoices" ("workspace", "livemode", "customer", "id") WHERE "listed" = 1;
CREATE INDEX "quittance_invoices_by_status" ON "quittance_invoices" ("workspace", "livemode", "status", "id") WHERE "listed" = 1;

CREATE TABLE "quittance_webhook_endpoints" (
  "id" TEXT NOT NULL,
  "url" TEXT NOT NULL,
  "description" TEXT NOT NULL,
  "enabled_events" TEXT NOT NULL CHECK (json_valid("enabled_events")),
  "status" TEXT NOT NULL CHECK ("status" IN ('enabled', 'disabled')),
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "created_at" TEXT NOT NULL,
  "workspace" TEXT NOT NULL,
  "changed_at" TEXT NOT NULL,
  "due_at" TEXT,
  "listed" INTEGER NOT NULL CHECK ("listed" IN (0, 1)),
  "slot" INTEGER,
  "encrypted_secret" TEXT NOT NULL,
  "registered_by" TEXT,
  "quiet_since" TEXT NOT NULL,
  "last_failure_at" TEXT,
  "exhausted_created_at" TEXT,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;
CREATE UNIQUE INDEX "quittance_webhook_endpoints_slot" ON "quittance_webhook_endpoints" ("workspace", "livemode", "slot") WHERE "slot" IS NOT NULL;
CREATE INDEX "quittance_webhook_endpoints_listed" ON "quittance_webhook_endpoints" ("workspace", "livemode", "id") WHERE "listed" = 1;
CREATE INDEX "quittance_webhook_endpoints_due" ON "quittance_webhook_endpoints" ("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "quittance_events" (
  "id" TEXT NOT NULL,
  "type" TEXT NOT NULL,
  "created_at" TEXT NOT NULL,
  "workspace" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "subject" TEXT NOT NULL,
  "body" TEXT NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;
CREATE INDEX "quittance_events_by_type" ON "quittance_events" ("workspace", "livemode", "type", "id");

CREATE TABLE "quittance_deliveries" (
  "endpoint" TEXT NOT NULL,
  "origin" TEXT NOT NULL CHECK ("origin" IN ('emit', 'resend')),
  "status" TEXT NOT NULL CHECK ("status" IN ('pending', 'succeeded', 'exhausted', 'canceled')),
  "attempt_count" INTEGER NOT NULL,
  "created_at" TEXT NOT NULL,
  "last_attempt_at" TEXT,
  "next_attempt_at" TEXT,
  "last_response_status" INTEGER,
  "last_error" TEXT,
  "workspace" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "id" TEXT NOT NULL,
  "event" TEXT NOT NULL,
  "emit_of" TEXT,
  "pending_of" TEXT,
  "lease" INTEGER NOT NULL,
  "lease_until" TEXT,
  "stopped" INTEGER NOT NULL CHECK ("stopped" IN (0, 1)),
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;
CREATE UNIQUE INDEX "quittance_deliveries_endpoint_emit_of" ON "quittance_deliveries" ("workspace", "livemode", "endpoint", "emit_of") WHERE "emit_of" IS NOT NULL;
CREATE UNIQUE INDEX "quittance_deliveries_endpoint_pending_of" ON "quittance_deliveries" ("workspace", "livemode", "endpoint", "pending_of") WHERE "pending_of" IS NOT NULL;
CREATE INDEX "quittance_deliveries_by_event" ON "quittance_deliveries" ("workspace", "livemode", "event", "id");
-- A claim walks from endpoint to endpoint, and takes the longest due of each.
CREATE INDEX "quittance_deliveries_queue" ON "quittance_deliveries" ("workspace", "livemode", "endpoint", "next_attempt_at", "id") WHERE "status" = 'pending';
-- The pages of what a disabled endpoint leaves pending.
CREATE INDEX "quittance_deliveries_pending" ON "quittance_deliveries" ("workspace", "livemode", "endpoint", "id") WHERE "status" = 'pending';
-- When a dispatcher should look again.
CREATE INDEX "quittance_deliveries_next" ON "quittance_deliveries" ("next_attempt_at") WHERE "status" = 'pending' AND "next_attempt_at" IS NOT NULL;
-- Leases that may still be live: few at any time.
CREATE INDEX "quittance_deliveries_leased" ON "quittance_deliveries" ("workspace", "livemode", "endpoint", "lease_until") WHERE "status" = 'pending' AND "lease_until" IS NOT NULL;

CREATE TABLE "quittance_idempotency_keys" (
  "workspace" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "id" TEXT NOT NULL,
  "operation" TEXT NOT NULL,
  "fingerprint" TEXT NOT NULL,
  "request_id" TEXT NOT NULL,
  "lease_until" TEXT,
  "intent" TEXT,
  "answer_status" INTEGER,
  "answer_body" TEXT,
  "answer_event" TEXT,
  "created_at" TEXT NOT NULL,
  "due_at" TEXT,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;
CREATE INDEX "quittance_idempotency_keys_due" ON "quittance_idempotency_keys" ("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "quittance_audit_entries" (
  "workspace" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "id" TEXT NOT NULL,
  "actor" TEXT NOT NULL,
  "action" TEXT NOT NULL,
  "target" TEXT NOT NULL,
  "created_at" TEXT NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;

CREATE TABLE "quittance_organizations" (
  "workspace" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "slug" TEXT NOT NULL,
  "email" TEXT NOT NULL,
  "phone_number" TEXT NOT NULL,
  "website" TEXT NOT NULL,
  "created_at" TEXT NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;

CREATE TABLE "quittance_users" (
  "workspace" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "email" TEXT NOT NULL,
  "password_hash" TEXT NOT NULL,
  "created_at" TEXT NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;

CREATE TABLE "quittance_unique_names" (
  "workspace" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "id" TEXT NOT NULL,
  "hash" TEXT NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;
CREATE UNIQUE INDEX "quittance_unique_names_hash" ON "quittance_unique_names" ("hash");

CREATE TABLE "quittance_integrations" (
  "workspace" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "id" TEXT NOT NULL,
  "service_type_id" TEXT NOT NULL,
  "ledger_site_id" TEXT NOT NULL,
  "encrypted_configuration" TEXT NOT NULL,
  "created_at" TEXT NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;

CREATE TABLE "quittance_connections" (
  "workspace" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "id" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "base_url" TEXT NOT NULL,
  "site_id" TEXT NOT NULL,
  "encrypted_token" TEXT NOT NULL,
  "created_at" TEXT NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;

CREATE TABLE "quittance_sync_runs" (
  "workspace" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "changed_at" TEXT NOT NULL,
  "due_at" TEXT,
  "id" TEXT NOT NULL,
  "connection" TEXT NOT NULL,
  "status" TEXT NOT NULL CHECK ("status" IN ('running', 'completed', 'failed')),
  "options" TEXT NOT NULL CHECK (json_valid("options")),
  "unfinished_of" TEXT,
  "cursor" TEXT,
  "pages" INTEGER NOT NULL CHECK ("pages" >= 0),
  "created" INTEGER NOT NULL CHECK ("created" >= 0),
  "updated" INTEGER NOT NULL CHECK ("updated" >= 0),
  "unchanged" INTEGER NOT NULL CHECK ("unchanged" >= 0),
  "skipped" INTEGER NOT NULL CHECK ("skipped" >= 0),
  "failures" INTEGER NOT NULL CHECK ("failures" >= 0),
  "failure" TEXT CHECK (json_valid("failure")),
  "created_at" TEXT NOT NULL,
  "finished_at" TEXT,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;
CREATE UNIQUE INDEX "quittance_sync_runs_unfinished_of" ON "quittance_sync_runs" ("workspace", "livemode", "unfinished_of") WHERE "unfinished_of" IS NOT NULL;
CREATE INDEX "quittance_sync_runs_by_connection" ON "quittance_sync_runs" ("workspace", "livemode", "connection", "id");
CREATE INDEX "quittance_sync_runs_due" ON "quittance_sync_runs" ("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "quittance_ledger_invoices" (
  "workspace" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "id" TEXT NOT NULL,
  "connection" TEXT NOT NULL,
  "written_off" INTEGER NOT NULL CHECK ("written_off" >= 0),
  "said" TEXT,
  "changed_at" TEXT NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;

CREATE TABLE "quittance_cursors" (
  "workspace" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "id" TEXT NOT NULL,
  "value" TEXT NOT NULL,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;

CREATE TABLE "quittance_held_notifications" (
  "workspace" TEXT NOT NULL,
  "livemode" INTEGER NOT NULL CHECK ("livemode" IN (0, 1)),
  "id" TEXT NOT NULL,
  "notifications" TEXT NOT NULL CHECK (json_valid("notifications")),
  "tries" INTEGER NOT NULL CHECK ("tries" >= 0),
  "due_at" TEXT,
  PRIMARY KEY ("workspace", "livemode", "id")
) STRICT;
CREATE INDEX "quittance_held_notifications_due" ON "quittance_held_notifications" ("due_at") WHERE "due_at" IS NOT NULL;
