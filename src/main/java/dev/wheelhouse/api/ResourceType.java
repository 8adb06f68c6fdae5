package dev.wheelhouse.api;

/** A resource type of the API: group (empty for the core group), version, plural, kind and scope. */
@PublicApi
public record ResourceType(String group, String version, String plural, String kind, boolean namespaced) {
    public static final ResourceType PODS = core("pods", "Pod", true);
    public static final ResourceType NODES = core("nodes", "Node", false);
    public static final ResourceType NAMESPACES = core("namespaces", "Namespace", false);
    public static final ResourceType EVENTS = core("events", "Event", true);
    public static final ResourceType SERVICES = core("services", "Service", true);
    public static final ResourceType ENDPOINTS = core("endpoints", "Endpoints", true);
    public static final ResourceType ENDPOINT_SLICES = new ResourceType("discovery.k8s.io", "v1", "endpointslices",
            "EndpointSlice", true);
    public static final ResourceType SERVICE_ACCOUNTS = core("serviceaccounts", "ServiceAccount", true);
    public static final ResourceType CONFIG_MAPS = core("configmaps", "ConfigMap", true);
    public static final ResourceType SECRETS = core("secrets", "Secret", true);
    public static final ResourceType PERSISTENT_VOLUME_CLAIMS = core("persistentvolumeclaims", "PersistentVolumeClaim",
            true);
    public static final ResourceType PERSISTENT_VOLUMES = core("persistentvolumes", "PersistentVolume", false);
    public static final ResourceType REPLICATION_CONTROLLERS = core("replicationcontrollers", "ReplicationController",
            true);
    public static final ResourceType RESOURCE_QUOTAS = core("resourcequotas", "ResourceQuota", true);
    public static final ResourceType LIMIT_RANGES = core("limitranges", "LimitRange", true);
    public static final ResourceType DEPLOYMENTS = apps("deployments", "Deployment");
    public static final ResourceType DAEMON_SETS = apps("daemonsets", "DaemonSet");
    public static final ResourceType REPLICA_SETS = apps("replicasets", "ReplicaSet");
    public static final ResourceType STATEFUL_SETS = apps("statefulsets", "StatefulSet");
    public static final ResourceType CONTROLLER_REVISIONS = apps("controllerrevisions", "ControllerRevision");
    public static final ResourceType JOBS = new ResourceType("batch", "v1", "jobs", "Job", true);
    public static final ResourceType POD_DISRUPTION_BUDGETS = new ResourceType("policy", "v1", "poddisruptionbudgets",
            "PodDisruptionBudget", true);
    public static final ResourceType STORAGE_CLASSES = new ResourceType("storage.k8s.io", "v1", "storageclasses",
            "StorageClass", false);
    public static final ResourceType VOLUME_ATTRIBUTES_CLASSES = new ResourceType("storage.k8s.io", "v1",
            "volumeattributesclasses", "VolumeAttributesClass", false);
    public static final ResourceType LEASES = new ResourceType("coordination.k8s.io", "v1", "leases", "Lease", true);

    public static final ResourceType CUSTOM_RESOURCE_DEFINITIONS = new ResourceType("apiextensions.k8s.io", "v1",
            "customresourcedefinitions", "CustomResourceDefinition", false);

    private static ResourceType core(String plural, String kind, boolean namespaced) {
        return new ResourceType("", "v1", plural, kind, namespaced);
    }

    private static ResourceType apps(String plural, String kind) {
        return new ResourceType("apps", "v1", plural, kind, true);
    }

    /**
     * A type of which only the name is known. An operator that declares it learns the version, the kind and the scope
     * from the API server.
     *
     * @param name plural and group, such as {@code certificates.cert-manager.io}
     * @throws IllegalArgumentException if it is no name of a type
     */
    public static ResourceType named(String name) {
        if (!Names.isSubdomain(name)) {
            throw new IllegalArgumentException(
                    "\"" + name + "\" is no name of a type, such as certificates.cert-manager.io or pods");
        }
        String plural = name.split("\\.", 2)[0];
        return new ResourceType(name.substring(Math.min(plural.length() + 1, name.length())), "", plural, plural, true);
    }

    /** Whether only the name is known. */
    public boolean isNamed() {
        return version.isEmpty();
    }

    /** Whether this is another type, or its name. */
    public boolean means(ResourceType other) {
        return isNamed() ? groupResource().equals(other.groupResource()) : equals(other);
    }

    /** A hash of the two fields that tell almost all types apart, because types are keys of maps in each request. */
    @Override
    public int hashCode() {
        return 31 * group.hashCode() + plural.hashCode();
    }

    /** The {@code apiVersion} of the type's objects, such as {@code v1} or {@code apps/v1}. */
    public String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    /**
     * The URL path of the collection, without a trailing slash.
     *
     * @param namespace the namespace; empty for all namespaces, ignored for a cluster-scoped type
     */
    public String path(String namespace) {
        StringBuilder path = new StringBuilder(64).append(group.isEmpty() ? "/api/" : "/apis/").append(apiVersion());
        if (namespaced && !namespace.isEmpty()) {
            path.append("/namespaces/").append(namespace);
        }
        return path.append('/').append(plural).toString();
    }

    /** The URL path of one object. */
    public String path(ObjectKey key) {
        return path(key.namespace()) + "/" + key.name();
    }

    /** The name of the type in messages and metrics, such as {@code pods} or {@code deployments.apps}. */
    public String groupResource() {
        return group.isEmpty() ? plural : plural + "." + group;
    }

    @Override
    public String toString() {
        return groupResource();
    }
}
