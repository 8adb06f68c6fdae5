/**
 * Facts about volumes, claims and the pods that use them, on which the volume controllers, the scheduler and
 * provisioners agree. Start with {@link dev.wheelhouse.volumes.Volumes}.
 */
@NullMarked
package dev.wheelhouse.volumes;

import org.jspecify.annotations.NullMarked;
