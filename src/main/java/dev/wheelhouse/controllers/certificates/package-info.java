/**
 * The controllers of certificates (upstream: {@code pkg/controller/certificates}). Three of them handle
 * CertificateSigningRequests: {@link dev.wheelhouse.controllers.certificates.RequestApprover} approves those of
 * kubelets, {@link dev.wheelhouse.controllers.certificates.RequestSigner} signs approved ones by the rules of
 * {@code Signer}, and {@link dev.wheelhouse.controllers.certificates.RequestCleaner} deletes old ones.
 * {@link dev.wheelhouse.controllers.certificates.RootCaPublisher} publishes the API server's certificate authorities.
 * They read the informers' caches and keep no state but their queues.
 */
@NullMarked
package dev.wheelhouse.controllers.certificates;

import org.jspecify.annotations.NullMarked;
