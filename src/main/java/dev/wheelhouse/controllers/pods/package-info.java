/**
 * Parts that all controllers of pods share: reading a pod's status, making pods from a template, the index of pods by
 * controller, the handler that tells owners about their pods, and the order in which surplus pods are deleted. Nothing
 * here has state except the caches' index.
 */
@NullMarked
package dev.wheelhouse.controllers.pods;

import org.jspecify.annotations.NullMarked;
