/**
 * The controllers of ResourceClaims, the requests of pods for devices. {@code PodDecisions} makes the claims of a pod
 * from templates and reserves them for the pod; {@code ResourceClaimDecisions} releases claims whose pods have ended.
 * {@code DeviceTaints} says when the taints of devices end a pod. The scheduler allocates devices.
 */
@NullMarked
package dev.wheelhouse.controllers.resourceclaim;

import org.jspecify.annotations.NullMarked;
