/**
 * The rules that other objects and rights set for a new or changed object: admission plugins, quotas, admission policies, and the
 * rights that a writer needs beyond the verb. They run between the defaults and the commit of a write, on the thread of the request.
 */
@NullMarked
package dev.wheelhouse.apiserver.admission;

import org.jspecify.annotations.NullMarked;
