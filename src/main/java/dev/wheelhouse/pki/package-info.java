/**
 * Keys, certificates and requests for certificates, in memory and as PEM. {@link dev.wheelhouse.pki.Pem} reads and
 * writes, {@link dev.wheelhouse.pki.Keys} makes and compares keys, {@link dev.wheelhouse.pki.SigningAuthority} signs,
 * and {@link dev.wheelhouse.pki.CertificateRequest} is a parsed request. Callers decide when to renew.
 *
 * <p>All is immutable. Certificates are read by the JDK alone; keys, requests and signatures load Bouncy Castle.
 */
@NullMarked
package dev.wheelhouse.pki;

import org.jspecify.annotations.NullMarked;
