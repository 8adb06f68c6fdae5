/**
 * Parts that all controllers of pods share: reading the status of a pod or node, making pods from a template, the
 * Events about pods, and the order in which surplus pods are deleted. Nothing here has state.
 */
@NullMarked
package dev.wheelhouse.controllers.pods;

import org.jspecify.annotations.NullMarked;
