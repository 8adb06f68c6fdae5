/**
 * The limits of one request's work: {@link dev.wheelhouse.apiserver.work.Deadline} bounds its time,
 * {@link dev.wheelhouse.apiserver.work.Allowance} its memory. The transport installs both for the thread that works on
 * the request. Loops call {@code Deadline.check}, and code that is about to build something large calls
 * {@code Allowance.take}, without passing either around. Exceeding a limit throws an exception that the transport turns
 * into an answer. Threads that work outside a request have no limits.
 */
@NullMarked
package dev.wheelhouse.apiserver.work;

import org.jspecify.annotations.NullMarked;
