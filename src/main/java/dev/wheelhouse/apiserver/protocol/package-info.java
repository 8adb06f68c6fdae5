/**
 * Requests and answers, without a transport. {@link dev.wheelhouse.apiserver.protocol.Route} is the one reading of a request, by which
 * both authorization and the verbs go; {@link dev.wheelhouse.apiserver.protocol.Bodies} reads its body;
 * {@link dev.wheelhouse.apiserver.protocol.Renderer} writes objects, lists, tables and watch events in the form that
 * {@link dev.wheelhouse.apiserver.protocol.Accept} negotiated. Nothing here reads or writes the store.
 */
@NullMarked
package dev.wheelhouse.apiserver.protocol;

import org.jspecify.annotations.NullMarked;
