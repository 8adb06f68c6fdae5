package dev.wheelhouse.manager;

import java.util.Set;

/**
 * The names of the controllers in kube-controller-manager 1.36 (upstream:
 * {@code cmd/kube-controller-manager/names/controller_names.go}).
 */
final class UpstreamControllers {
    static final Set<String> NAMES = Set.of(
            "bootstrap-signer-controller", "certificatesigningrequest-approving-controller",
            "certificatesigningrequest-cleaner-controller", "certificatesigningrequest-signing-controller",
            "clusterrole-aggregation-controller", "cronjob-controller", "daemonset-controller",
            "deployment-controller", "device-taint-eviction-controller", "disruption-controller",
            "endpoints-controller", "endpointslice-controller", "endpointslice-mirroring-controller",
            "ephemeral-volume-controller", "garbage-collector-controller", "horizontal-pod-autoscaler-controller",
            "job-controller", "kube-apiserver-serving-clustertrustbundle-publisher-controller",
            "legacy-serviceaccount-token-cleaner-controller", "namespace-controller", "node-ipam-controller",
            "node-lifecycle-controller", "persistentvolume-attach-detach-controller",
            "persistentvolume-binder-controller", "persistentvolume-expander-controller",
            "persistentvolume-protection-controller", "persistentvolumeclaim-protection-controller",
            "pod-garbage-collector-controller", "podcertificaterequest-cleaner-controller",
            "podgroup-protection-controller", "replicaset-controller", "replicationcontroller-controller",
            "resourceclaim-controller", "resourcepoolstatusrequest-controller", "resourcequota-controller",
            "root-ca-certificate-publisher-controller", "selinux-warning-controller",
            "service-ca-certificate-publisher-controller", "service-cidr-controller", "serviceaccount-controller",
            "serviceaccount-token-controller", "statefulset-controller", "storage-version-migrator-controller",
            "storageversion-garbage-collector-controller", "taint-eviction-controller", "token-cleaner-controller",
            "ttl-after-finished-controller", "ttl-controller", "validatingadmissionpolicy-status-controller",
            "volumeattributesclass-protection-controller");

    private UpstreamControllers() {}
}
