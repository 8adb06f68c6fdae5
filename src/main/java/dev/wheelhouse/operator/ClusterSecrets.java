package dev.wheelhouse.operator;

import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;

/**
 * The Secrets with the kubeconfigs of other clusters, and the types that an operator owns there. A cluster comes with
 * its Secret and goes with it. A kubeconfig must have everything in itself: one that names files or programs is
 * refused. Immutable.
 */
public final class ClusterSecrets {
    private static final String KUBECONFIG = "-kubeconfig";

    final String namespace;
    final LabelSelector labels;
    final FieldSelector fields;
    /** The key in the Secret's data. */
    final String key;
    /** The end of the Secrets' names, which is no part of the cluster's name. */
    final String suffix;
    final List<Class<? extends KubernetesObject>> owned;

    private ClusterSecrets(String namespace, LabelSelector labels, FieldSelector fields, String key, String suffix,
            List<Class<? extends KubernetesObject>> owned) {
        this.namespace = namespace;
        this.labels = labels;
        this.fields = fields;
        this.key = key;
        this.suffix = suffix;
        this.owned = List.copyOf(owned);
    }

    /**
     * The Secrets that Cluster API makes in a namespace: {@code edge-kubeconfig} of the type
     * {@code cluster.x-k8s.io/secret}, whose key {@code value} has the kubeconfig of the cluster {@code edge}.
     */
    public static ClusterSecrets ofClusterApi(String namespace) {
        return new ClusterSecrets(namespace, LabelSelector.everything(),
                FieldSelector.parse("type=cluster.x-k8s.io/secret"), "value", KUBECONFIG, List.of());
    }

    /**
     * The Secrets of a namespace with these labels. Their key {@code kubeconfig} has the kubeconfig of the cluster that
     * has the Secret's name.
     */
    public static ClusterSecrets labelled(String namespace, LabelSelector labels) {
        return new ClusterSecrets(namespace, labels, FieldSelector.everything(), "kubeconfig", "", List.of());
    }

    /** The operator also owns objects of these classes in the other clusters. */
    @SafeVarargs
    public final ClusterSecrets owns(Class<? extends KubernetesObject>... classes) {
        List<Class<? extends KubernetesObject>> all = new ArrayList<>(owned);
        all.addAll(List.of(classes));
        return new ClusterSecrets(namespace, labels, fields, key, suffix, all);
    }

    /** Whether a Secret is one of a cluster. */
    boolean isCluster(KubernetesObject secret) {
        return ObjectKey.of(secret).name().endsWith(suffix);
    }

    /** The name of a Secret's cluster. */
    String clusterOf(KubernetesObject secret) {
        String name = ObjectKey.of(secret).name();
        return name.substring(0, name.length() - suffix.length());
    }
}
