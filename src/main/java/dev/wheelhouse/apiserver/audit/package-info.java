/**
 * The audit log: which requests are logged, at which level and stage, as upstream's policy file says. Start with
 * {@link dev.wheelhouse.apiserver.audit.AuditEvent}, which follows one request through the server;
 * {@link dev.wheelhouse.apiserver.audit.AuditLog} writes its stages to a file, a webhook, or both.
 *
 * <p>Code that works on a request adds to the event of its thread by static methods, which do nothing on a server
 * without an audit log.
 */
@NullMarked
package dev.wheelhouse.apiserver.audit;

import org.jspecify.annotations.NullMarked;
