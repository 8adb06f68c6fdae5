/**
 * The controller that attaches volumes to the nodes of their pods.
 * {@link dev.wheelhouse.controllers.attach.AttachDetachController} has one key a node: {@code AttachDecisions} decides
 * about all volumes of the node. {@code Attachable} is a volume that needs this, {@code AttachState} what is remembered
 * about one. A VolumeAttachment asks a CSI driver; the status of the node tells the kubelet.
 */
@NullMarked
package dev.wheelhouse.controllers.attach;

import org.jspecify.annotations.NullMarked;
