package dev.wheelhouse.world;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import dev.wheelhouse.apiserver.auth.OwnAuthority;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.pki.SigningAuthority;

/** Certificates and keys for controllers. */
public final class Authorities {
    /** The published authorities: a text that a recorded state shows as a certificate. */
    public static final String ROOT = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n";
    private static final ServerKeys KEYS = ServerKeys.inMemory();
    private static final Duration YEAR = Duration.ofDays(365);

    /** It is made when the first certificate is signed. Recordings are older, so it begins long ago. */
    private static final class Own {
        static final OwnAuthority AUTHORITY = OwnAuthority.of(KEYS, Instant.parse("2024-01-01T00:00:00Z"));
    }

    private Authorities() {}

    /** Options with all signers, an authority and a key of tokens, which are made when they are first used. */
    public static Options options() {
        return options(ROOT);
    }

    /** @param root the published authorities */
    static Options options(String root) {
        Map<String, Supplier<SigningAuthority>> signers = new HashMap<>();
        for (String signer : List.of("kubelet-serving", "kube-apiserver-client-kubelet", "kube-apiserver-client",
                "legacy-unknown")) {
            signers.put("kubernetes.io/" + signer,
                    Own.AUTHORITY::authority);
        }
        return Options.DEFAULTS
                .with(new ControllerOptions.Identity(root, KEYS::signingKeys, signers, YEAR, YEAR));
    }
}
