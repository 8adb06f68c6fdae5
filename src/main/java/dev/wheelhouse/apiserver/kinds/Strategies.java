package dev.wheelhouse.apiserver.kinds;

import java.lang.invoke.MethodHandles;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.defaults.DefaultRows;
import dev.wheelhouse.apiserver.validation.Checks;
import dev.wheelhouse.apiserver.validation.Rules;
import dev.wheelhouse.facts.BuiltInResource;
import dev.wheelhouse.facts.Schemas;

/**
 * Finds the strategy of a resource. A built-in kind without a line here or in {@link PlainKinds} needs no code: its
 * rows in {@code kinds.tsv} and {@code rules.tsv} say all. Custom resources have one strategy together.
 */
public final class Strategies {
    /** The kinds with code of their own. */
    private static final List<Strategy> KINDS = List.of(
            new PodStrategy(),
            new ReplicationControllerStrategy(),
            new ServiceStrategy(),
            new ConfigMapStrategy(),
            new SecretStrategy(),
            new NamespaceStrategy(),
            new PersistentVolumeClaimStrategy(),
            new PersistentVolumeStrategy(),
            new EventStrategy(""), new EventStrategy("events.k8s.io"),
            new NodeStrategy(),
            new LimitRangeStrategy(),
            new ResourceQuotaStrategy(),
            new DeploymentStrategy(),
            new DaemonSetStrategy(),
            new StatefulSetStrategy(),
            new ControllerRevisionStrategy(),
            new JobStrategy(),
            new CronJobStrategy(),
            new HorizontalPodAutoscalerStrategy(),
            new PriorityClassStrategy(),
            new LeaseStrategy(),
            new NetworkPolicyStrategy(),
            new ServiceCIDRStrategy(),
            new IngressStrategy(),
            new EndpointSliceStrategy(),
            new StorageClassStrategy(),
            new ValidatingAdmissionPolicyStrategy(),
            new MutatingAdmissionPolicyStrategy(),
            new ValidatingWebhookConfigurationStrategy(),
            new CertificateSigningRequestStrategy(),
            new APIServiceStrategy(),
            new CustomResourceDefinitionStrategy(),
            new FlowSchemaStrategy(),
            new ResourceSliceStrategy(),
            new ResourcePoolStatusRequestStrategy());
    private static final Strategy CUSTOM = new CustomStrategy();
    private static final Map<String, Strategy> BY_KIND = byKind();
    private static final Map<ResourceType, Strategy> BY_TYPE = BuiltInResource.all().stream().collect(
            Collectors.toUnmodifiableMap(BuiltInResource::type, resource -> ofKind(resource.type())));
    private static final Set<String> GROUPS = BY_TYPE.keySet().stream().map(ResourceType::group)
            .collect(Collectors.toUnmodifiableSet());
    private static final Map<String, Strategy> BY_RESOURCE = byResource();
    /** The methods that rows call are those of the strategies, and of these classes. */
    static final Checks CHECKS = new Checks(MethodHandles.lookup(), Stream.concat(
            Stream.of(AddressWarnings.class, AdmissionRules.class, DeviceRules.class, JobRules.class,
                    PodStatusRules.class, ServiceValidation.class, TlsSecrets.class, VolumePaths.class,
                    WarningChecks.class, WorkloadRules.class),
            KINDS.stream().<Class<?>>map(Object::getClass).distinct()).toList());
    private static final Rules RULES = new Rules(CHECKS);

    private Strategies() {}

    private static Map<String, Strategy> byKind() {
        Map<String, Strategy> strategies = new HashMap<>();
        Stream.concat(PlainKinds.ALL.stream(), KINDS.stream())
                .forEach(strategy -> strategies.put(key(strategy.group(), strategy.kind()), strategy));
        for (BuiltInResource resource : BuiltInResource.all()) {
            ResourceType type = resource.type();
            strategies.computeIfAbsent(key(type.group(), type.kind()), k -> new Strategy(type.group(), type.kind()));
        }
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
        DefaultRows.addTo(rules);
        KINDS.forEach(strategy -> strategy.addDefaults(rules));
        return rules;
    }

    /** The rules of all kinds. */
    static Rules rules() {
        return RULES;
    }
}
