package dev.wheelhouse.spring;

import java.nio.file.Path;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.auth.OwnAuthority;
import dev.wheelhouse.apiserver.auth.ServingCertificate;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.pki.SigningAuthority;

/**
 * The certificates and keys of the controllers: those in the files that the options name, else those of the embedded
 * API server (upstream: {@code cmd/kube-controller-manager/app/certificates.go}, {@code service_accounts.go}).
 */
record Identities(ControllerManagerFlags flags, ApiServerConnection connection) {
    private static final String CLUSTER = "wheelhouse.cluster-signing-";

    /**
     * The options of the built-in controllers, with certificates and keys.
     *
     * @throws BadOption if two options contradict each other
     * @throws dev.wheelhouse.apiserver.auth.AuthConfigException if a file cannot be used
     */
    static Options options(ControllerManagerFlags flags, ApiServerConnection connection) {
        Identities identities = new Identities(flags, connection);
        Options options = flags.controllerOptions();
        ControllerOptions.Identity identity = options.get(ControllerOptions.Identity.DEFAULTS);
        return options.with(new ControllerOptions.Identity(identities.rootCa(), identities.tokenKeys(),
                identities.signers(), identity.clusterSigningDuration(), identity.legacyTokenCleanUpPeriod()));
    }

    private String rootCa() {
        String file = flags.rootCaFile();
        return file == null ? connection.authority() : ServingCertificate.text(Path.of(file));
    }

    private @Nullable Supplier<KeyPair> tokenKeys() {
        String file = flags.serviceAccountPrivateKeyFile();
        if (file != null) {
            KeyPair pair = ServingCertificate.keyPair(Path.of(file));
            return () -> pair;
        }
        return connection.embedded() == null ? null : connection.embedded().secrets().keys()::signingKeys;
    }

    /** The files of one signer. */
    private record Files(String signer, String option, @Nullable String certificate, @Nullable String key) {
        boolean isNamed() {
            return certificate != null || key != null;
        }

        Supplier<SigningAuthority> authority() {
            if (certificate == null || key == null) {
                throw new BadOption(CLUSTER + option + (certificate == null ? "key" : "cert")
                        + "-file is set without " + CLUSTER + option + (certificate == null ? "cert" : "key")
                        + "-file: name both files");
            }
            Path certificates = Path.of(certificate);
            Path keys = Path.of(key);
            SigningAuthority unused = read(certificates, keys);
            return () -> read(certificates, keys);
        }

        private static SigningAuthority read(Path certificates, Path key) {
            List<X509Certificate> read = ServingCertificate.certificates(certificates);
            if (read.size() != 1) {
                throw new BadOption(certificates + " holds " + read.size()
                        + " certificates: name a file with the one of the authority that signs");
            }
            ServingCertificate pair = ServingCertificate.ofFiles(certificates, key);
            return new SigningAuthority(pair.chain().getFirst(), ServingCertificate.privateKey(key));
        }
    }

    private Map<String, Supplier<SigningAuthority>> signers() {
        List<Files> single = List.of(
                new Files("kubernetes.io/kubelet-serving", "kubelet-serving-",
                        flags.clusterSigningKubeletServingCertFile(),
                        flags.clusterSigningKubeletServingKeyFile()),
                new Files("kubernetes.io/kube-apiserver-client-kubelet", "kubelet-client-",
                        flags.clusterSigningKubeletClientCertFile(),
                        flags.clusterSigningKubeletClientKeyFile()),
                new Files("kubernetes.io/kube-apiserver-client", "kube-apiserver-client-",
                        flags.clusterSigningKubeApiserverClientCertFile(),
                        flags.clusterSigningKubeApiserverClientKeyFile()),
                new Files("kubernetes.io/legacy-unknown", "legacy-unknown-",
                        flags.clusterSigningLegacyUnknownCertFile(),
                        flags.clusterSigningLegacyUnknownKeyFile()));
        Files all = new Files("", "", flags.clusterSigningCertFile(), flags.clusterSigningKeyFile());
        Map<String, Supplier<SigningAuthority>> signers = new LinkedHashMap<>();
        if (single.stream().anyMatch(Files::isNamed)) {
            if (all.isNamed()) {
                throw new BadOption(CLUSTER + "cert-file is set beside the files of a single signer: leave out one of "
                        + "the two");
            }
            single.stream().filter(Files::isNamed).forEach(files -> signers.put(files.signer, files.authority()));
            return signers;
        }
        Supplier<SigningAuthority> authority = all.isNamed() ? all.authority() : ofEmbedded();
        if (authority != null) {
            single.forEach(files -> signers.put(files.signer, authority));
        }
        return signers;
    }

    private @Nullable Supplier<SigningAuthority> ofEmbedded() {
        if (connection.embedded() == null) {
            return null;
        }
        Supplier<OwnAuthority> own = connection.embedded().secrets().authority();
        return () -> own.get().authority();
    }
}
