package dev.wheelhouse.controller;

import java.security.KeyPair;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The options of the built-in controllers, with the names and defaults of kube-controller-manager's flags (upstream:
 * {@code cmd/kube-controller-manager/app/options}). The number of workers is in {@link ControllerContext#workers}.
 *
 * @param terminatedPodGcThreshold the number of ended pods that the pod garbage collector keeps; all if not positive
 * @param horizontalPodAutoscaler the options of the controller of autoscalers
 * @param identity the options of the controllers of service accounts and certificates
 */
public record ControllerOptions(int terminatedPodGcThreshold, HorizontalPodAutoscaler horizontalPodAutoscaler,
        Identity identity) {
    /** Upstream's defaults. */
    public static final ControllerOptions DEFAULTS = new ControllerOptions(12_500, HorizontalPodAutoscaler.DEFAULTS,
            Identity.DEFAULTS);

    /** These options with another threshold of ended pods. */
    public ControllerOptions withTerminatedPodGcThreshold(int threshold) {
        return new ControllerOptions(threshold, horizontalPodAutoscaler, identity);
    }

    /** These options with others for the controller of autoscalers. */
    public ControllerOptions with(HorizontalPodAutoscaler others) {
        return new ControllerOptions(terminatedPodGcThreshold, others, identity);
    }

    /** These options with others for service accounts and certificates. */
    public ControllerOptions with(Identity other) {
        return new ControllerOptions(terminatedPodGcThreshold, horizontalPodAutoscaler, other);
    }

    /**
     * The options of the controllers of service accounts and certificates.
     *
     * @param rootCa the certificate authorities of the API server, PEM; empty if there are none
     * @param tokenKeys sign the tokens in Secrets; null for no such tokens. Supplied when the first token is made
     * @param signers the authorities of the signers, by the signer's name, such as
     *     {@code kubernetes.io/kubelet-serving}. A signer without an authority signs nothing. Each signature asks its
     *     supplier again, which throws an unchecked exception if it cannot read the authority
     * @param clusterSigningDuration the longest life of a signed certificate
     * @param legacyTokenCleanUpPeriod the time without use after which the token of an account in a Secret is deleted
     */
    public record Identity(String rootCa, @Nullable Supplier<KeyPair> tokenKeys,
            Map<String, Supplier<SigningAuthority>> signers, Duration clusterSigningDuration,
            Duration legacyTokenCleanUpPeriod) {
        private static final Duration YEAR = Duration.ofDays(365);

        /** Upstream's defaults: no certificates and keys. */
        public static final Identity DEFAULTS = new Identity("", null, Map.of(), YEAR, YEAR);

        public Identity {
            signers = Map.copyOf(signers);
        }

        /** These options with the certificates of an API server and the keys of its tokens. */
        public Identity with(String authorities, Supplier<KeyPair> keys) {
            return new Identity(authorities, keys, signers, clusterSigningDuration, legacyTokenCleanUpPeriod);
        }
    }

    /**
     * The options of the controller of autoscalers.
     *
     * @param syncPeriod the time between two syncs of one autoscaler
     * @param downscaleStabilization the window in which the highest recommendation counts, unless the autoscaler has
     *     one of its own
     * @param tolerance the fraction by which the usage may differ from the target without a change of the replicas,
     *     unless the autoscaler has one of its own
     * @param cpuInitializationPeriod the time after a pod's start in which its CPU usage counts only if it was measured
     *     while the pod was ready
     * @param initialReadinessDelay a pod that became unready within this time after its start has never been ready
     */
    public record HorizontalPodAutoscaler(Duration syncPeriod, Duration downscaleStabilization, double tolerance,
            Duration cpuInitializationPeriod, Duration initialReadinessDelay) {
        /** Upstream's defaults. */
        public static final HorizontalPodAutoscaler DEFAULTS = new HorizontalPodAutoscaler(Duration.ofSeconds(15),
                Duration.ofMinutes(5), 0.1, Duration.ofMinutes(5), Duration.ofSeconds(30));
    }
}
