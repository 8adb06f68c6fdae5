/**
 * The node agent's real runtime: a {@code PodRuntime} over the Container Runtime Interface, as of containerd. Start
 * with {@link dev.wheelhouse.node.cri.CriNode}, the runtime that a node's options name. {@code CriRuntime} lists the
 * sandboxes and containers once a second, and gives each pod a {@code CriPod}, a loop that brings the pod's containers
 * nearer to its spec. The runtime itself is the only record: which containers there are, their restarts and their ends
 * are read from it, so a restart of this process restarts no container. The messages in {@code proto} are generated
 * from {@code src/main/proto/cri.proto}.
 */
@NullMarked
package dev.wheelhouse.node.cri;

import org.jspecify.annotations.NullMarked;
