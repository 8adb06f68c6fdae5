/**
 * The official Java client's interfaces, implemented by this project's informers and workers, so that code for that
 * client runs unchanged. Start with {@link dev.wheelhouse.spring.client.WheelhouseInformerFactory}, the official
 * {@code SharedInformerFactory}, and with {@link dev.wheelhouse.spring.client.AnnotatedReconcilers}, which makes
 * controllers from annotated beans. Handlers and reconcilers of users come in; calls with cached objects go out. Each
 * factory owns its caches and threads.
 */
@NullMarked
package dev.wheelhouse.spring.client;

import org.jspecify.annotations.NullMarked;
