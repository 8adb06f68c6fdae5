/**
 * The controllers behind {@code kubeadm join} (upstream: {@code pkg/controller/bootstrap}). Bootstrap tokens are
 * Secrets of a type of their own in {@code kube-system}, by which a new machine and the cluster trust each other for a
 * while. {@link dev.wheelhouse.controllers.bootstrap.BootstrapSigner} signs the public description of the cluster with
 * each token, and {@link dev.wheelhouse.controllers.bootstrap.TokenCleaner} deletes the tokens that have expired.
 * Upstream runs both only if they are named, and kubeadm names them. {@code BootstrapTokens} reads the tokens.
 */
@NullMarked
package dev.wheelhouse.controllers.bootstrap;

import org.jspecify.annotations.NullMarked;
