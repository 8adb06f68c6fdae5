/**
 * The console: the state of a running service as JSON, as streams, and as one page that shows it, and the requests that
 * change it. Start with {@link dev.wheelhouse.console.ConsoleServlet}. The views read caches, queues and the journal,
 * and write nothing. The page is in the resources of this package. Nothing here knows who a caller is: a filter gives
 * each request a {@link dev.wheelhouse.console.Viewer}.
 */
@NullMarked
package dev.wheelhouse.console;

import org.jspecify.annotations.NullMarked;
