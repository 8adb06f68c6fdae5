package dev.wheelhouse.controller;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;

/** A certificate authority that signs certificates: its own certificate and the private key of that certificate. */
public record SigningAuthority(X509Certificate certificate, PrivateKey key) {}
