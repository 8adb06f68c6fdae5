package dev.wheelhouse.apiserver.kinds;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.kinds.Strategy.Trait;
import dev.wheelhouse.apiserver.validation.Rules;
import dev.wheelhouse.apiserver.validation.Rules.Check;
import dev.wheelhouse.facts.BuiltInResource;
import dev.wheelhouse.facts.Schemas;

/**
 * Finds the strategy of a resource. A built-in kind without a line here or in {@link PlainKinds} has the rules that all
 * kinds share; custom resources have one strategy together.
 */
public final class Strategies {
    /** The kinds with rules of their own. */
    private static final List<Strategy> KINDS = List.of(
            new PodStrategy(),
            new PodTemplateStrategy(),
            new ReplicationControllerStrategy(),
            new ServiceStrategy(),
            new ConfigMapStrategy(),
            new SecretStrategy(),
            new NamespaceStrategy(),
            new PersistentVolumeClaimStrategy(),
            new PersistentVolumeStrategy(),
            new EventStrategy(""), new EventStrategy("events.k8s.io"),
            new NodeStrategy(),
            new EndpointsStrategy(),
            new ComponentStatusStrategy(),
            new LimitRangeStrategy(),
            new ResourceQuotaStrategy(),
            new DeploymentStrategy(),
            new ReplicaSetStrategy(),
            new DaemonSetStrategy(),
            new StatefulSetStrategy(),
            new ControllerRevisionStrategy(),
            new JobStrategy(),
            new CronJobStrategy(),
            new HorizontalPodAutoscalerStrategy(),
            new PodDisruptionBudgetStrategy(),
            new PriorityClassStrategy(),
            new RuntimeClassStrategy(),
            new LeaseStrategy(),
            new LeaseCandidateStrategy(),
            new NetworkPolicyStrategy(),
            new IPAddressStrategy(),
            new ServiceCIDRStrategy(),
            new IngressStrategy(),
            new IngressClassStrategy(),
            new EndpointSliceStrategy(),
            new StorageClassStrategy(),
            new VolumeAttachmentStrategy(),
            new VolumeAttributesClassStrategy(),
            new CSIDriverStrategy(),
            new CSINodeStrategy(),
            new CSIStorageCapacityStrategy(),
            new ValidatingAdmissionPolicyStrategy(),
            new ValidatingAdmissionPolicyBindingStrategy(),
            new MutatingAdmissionPolicyStrategy(),
            new MutatingAdmissionPolicyBindingStrategy(),
            new ValidatingWebhookConfigurationStrategy(),
            new MutatingWebhookConfigurationStrategy(),
            new RoleStrategy(),
            new ClusterRoleStrategy(),
            new RoleBindingStrategy("RoleBinding"), new RoleBindingStrategy("ClusterRoleBinding"),
            new CertificateSigningRequestStrategy(),
            new APIServiceStrategy(),
            new CustomResourceDefinitionStrategy(),
            new ResourceClaimStrategy(),
            new ResourceClaimTemplateStrategy(),
            new ResourceSliceStrategy(),
            new ResourcePoolStatusRequestStrategy());
    private static final Strategy CUSTOM = new CustomStrategy();
    private static final Map<String, Strategy> BY_KIND = byKind();
    private static final Map<ResourceType, Strategy> BY_TYPE = BuiltInResource.all().stream().collect(
            Collectors.toUnmodifiableMap(BuiltInResource::type, resource -> ofKind(resource.type())));
    private static final Set<String> GROUPS = BY_TYPE.keySet().stream().map(ResourceType::group)
            .collect(Collectors.toUnmodifiableSet());
    private static final Map<String, Strategy> BY_RESOURCE = byResource();
    private static final Rules RULES = checks();

    private Strategies() {}

    private static Map<String, Strategy> byKind() {
        Map<String, Strategy> strategies = new HashMap<>();
        for (BuiltInResource resource : BuiltInResource.all()) {
            String group = resource.type().group();
            boolean answered = group.equals("authentication.k8s.io") || group.equals("authorization.k8s.io");
            strategies.putIfAbsent(key(group, resource.type().kind()), new Strategy(group, resource.type().kind(),
                    answered ? Set.of(Trait.NEVER_STORED) : Set.of()));
        }
        Stream.concat(PlainKinds.ALL.stream(), KINDS.stream())
                .forEach(strategy -> strategies.put(key(strategy.group(), strategy.kind()), strategy));
        return Map.copyOf(strategies);
    }

    private static Map<String, Strategy> byResource() {
        Map<String, Strategy> strategies = new HashMap<>();
        BY_TYPE.forEach((type, strategy) -> strategies.put(type.groupResource(), strategy));
        return Map.copyOf(strategies);
    }

    private static String key(String group, String kind) {
        return group + "/" + kind;
    }

    /** The strategy of a resource's kind. Allocates nothing, because it runs for each object of a list. */
    public static Strategy of(ResourceType type) {
        Strategy known = BY_TYPE.get(type);
        return known != null ? known : GROUPS.contains(type.group()) ? ofKind(type) : CUSTOM;
    }

    private static Strategy ofKind(ResourceType type) {
        return Schemas.isBuiltIn(type) ? BY_KIND.getOrDefault(key(type.group(), type.kind()), CUSTOM) : CUSTOM;
    }

    /** Whether a resource of that name, such as {@code deployments.apps}, is built in. */
    static boolean isBuiltIn(String resource) {
        return BY_RESOURCE.containsKey(resource);
    }

    /** The rules of defaults of all kinds, by the full names of types. */
    static Map<String, Consumer<ObjectNode>> defaults() {
        Map<String, Consumer<ObjectNode>> rules = new HashMap<>();
        KINDS.forEach(strategy -> strategy.addDefaults(rules));
        return rules;
    }

    private static Rules checks() {
        Map<String, Check> checks = new HashMap<>();
        KINDS.forEach(strategy -> strategy.addChecks(checks));
        return new Rules(checks);
    }

    /** The rules of all kinds. */
    static Rules rules() {
        return RULES;
    }
}
