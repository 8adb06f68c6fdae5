/**
 * The controllers of volumes and claims. {@link dev.wheelhouse.controllers.volume.VolumeBinder} binds claims to
 * volumes: {@code ClaimDecisions} decides about a claim, {@code VolumeDecisions} about a volume. The protection
 * controllers keep claims that pods use, volumes that are bound, and VolumeAttributesClasses that either uses.
 * {@link dev.wheelhouse.controllers.volume.EphemeralVolumeController} makes the claims of ephemeral volumes. No
 * controller makes volumes: that is a provisioner's work.
 */
@NullMarked
package dev.wheelhouse.controllers.volume;

import org.jspecify.annotations.NullMarked;
