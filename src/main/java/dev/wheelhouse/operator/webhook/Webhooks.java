package dev.wheelhouse.operator.webhook;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.AdmissionregistrationV1ServiceReference;
import io.kubernetes.client.openapi.models.AdmissionregistrationV1WebhookClientConfig;
import io.kubernetes.client.openapi.models.ApiextensionsV1ServiceReference;
import io.kubernetes.client.openapi.models.ApiextensionsV1WebhookClientConfig;
import io.kubernetes.client.openapi.models.V1CustomResourceConversion;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1MutatingWebhook;
import io.kubernetes.client.openapi.models.V1MutatingWebhookConfiguration;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1RuleWithOperations;
import io.kubernetes.client.openapi.models.V1ValidatingWebhook;
import io.kubernetes.client.openapi.models.V1ValidatingWebhookConfiguration;
import io.kubernetes.client.openapi.models.V1WebhookConversion;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.PublicApi;
import dev.wheelhouse.api.ResourceType;

/** The webhook methods of operators, and the objects that tell an API server of them. Immutable. */
@PublicApi(false)
public final class Webhooks {
    /** The path of a conversion, without the name of its definition. */
    static final String CONVERT = "/convert/";
    private static final String API_VERSION = "admissionregistration.k8s.io/v1";

    /** By the names of the operators. */
    private final Map<String, List<Hook>> hooks;
    private final Map<String, Hook> admissions = new HashMap<>();
    /** By the names of the definitions. */
    private final Map<String, List<Hook>> conversions;

    private Webhooks(Map<String, List<Hook>> hooks) {
        this.hooks = hooks;
        all(hooks).filter(hook -> hook.kind() != Hook.Kind.CONVERT).forEach(hook -> {
            if (admissions.put(hook.path(), hook) != null) {
                throw new IllegalArgumentException("two webhook methods are called " + hook.name()
                        + ": give them different names, as the names tell them apart");
            }
        });
        this.conversions = all(hooks).filter(hook -> hook.kind() == Hook.Kind.CONVERT)
                .collect(Collectors.groupingBy(hook -> hook.type().groupResource(), TreeMap::new,
                        Collectors.toList()));
        conversions.forEach(Webhooks::checkConversions);
    }

    private static Stream<Hook> all(Map<String, List<Hook>> hooks) {
        return hooks.values().stream().flatMap(Collection::stream);
    }

    private static void checkConversions(String definition, List<Hook> all) {
        TreeSet<String> versions = new TreeSet<>();
        all.forEach(hook -> versions.addAll(List.of(hook.type().apiVersion(), hook.result())));
        for (String from : versions) {
            for (String to : versions) {
                try {
                    AdmissionReviews.route(all, from, to);
                } catch (Refused e) {
                    throw new IllegalArgumentException("the conversions of " + definition + " are incomplete: "
                            + e.getMessage());
                }
            }
        }
    }

    /**
     * Finds the annotated methods of operators.
     *
     * @param operators by their names
     * @param types the resource of a class, for the operator of a name; throws IllegalArgumentException for a class
     *     that is of none
     * @throws IllegalArgumentException if a method cannot be called; the message names it and the remedy
     */
    public static Webhooks of(Map<String, ?> operators, BiFunction<String, Class<?>, ResourceType> types) {
        Map<String, List<Hook>> hooks = new TreeMap<>();
        operators.forEach((name, operator) -> {
            List<Hook> found = Hook.of(name, operator, model -> types.apply(name, model));
            if (!found.isEmpty()) {
                hooks.put(name, found);
            }
        });
        return new Webhooks(hooks);
    }

    /** The names of the operators that have webhook methods. */
    @Override
    public String toString() {
        return String.join(", ", hooks.keySet());
    }

    public boolean isEmpty() {
        return hooks.isEmpty();
    }

    /**
     * The webhook configurations. Each operator has at most two, which have its name: one with its validating methods,
     * and one with its mutating methods.
     *
     * @param options with a Service
     * @param authorities the certificate authorities that API servers trust, as PEM; empty if another program, such as
     *     cert-manager, sets them
     */
    public List<KubernetesObject> configurations(WebhookOptions options, String authorities) {
        return configurations(options, options.port(), authorities);
    }

    List<KubernetesObject> configurations(WebhookOptions options, int port, String authorities) {
        List<KubernetesObject> configurations = new ArrayList<>();
        hooks.forEach((operator, methods) -> {
            V1ObjectMeta meta = new V1ObjectMeta().name(operator);
            List<V1ValidatingWebhook> validating = methods.stream().filter(hook -> hook.kind() == Hook.Kind.VALIDATE)
                    .map(hook -> validating(hook, options, port, authorities)).toList();
            List<V1MutatingWebhook> mutating = methods.stream().filter(hook -> hook.kind() == Hook.Kind.MUTATE)
                    .map(hook -> mutating(hook, options, port, authorities)).toList();
            if (!validating.isEmpty()) {
                configurations.add(new V1ValidatingWebhookConfiguration().apiVersion(API_VERSION)
                        .kind("ValidatingWebhookConfiguration").metadata(meta).webhooks(validating));
            }
            if (!mutating.isEmpty()) {
                configurations.add(new V1MutatingWebhookConfiguration().apiVersion(API_VERSION)
                        .kind("MutatingWebhookConfiguration").metadata(meta).webhooks(mutating));
            }
        });
        return configurations;
    }

    /**
     * The {@code spec.conversion} of CustomResourceDefinitions, by the names of the definitions.
     *
     * @param options as in {@link #configurations}
     * @param authorities as in {@link #configurations}
     */
    public Map<String, V1CustomResourceConversion> conversions(WebhookOptions options, String authorities) {
        return conversions(options, options.port(), authorities);
    }

    Map<String, V1CustomResourceConversion> conversions(WebhookOptions options, int port, String authorities) {
        Map<String, V1CustomResourceConversion> specs = new TreeMap<>();
        conversions.keySet().forEach(definition -> {
            String path = CONVERT + definition;
            ApiextensionsV1WebhookClientConfig client = new ApiextensionsV1WebhookClientConfig()
                    .caBundle(bundle(authorities));
            if (options.isLocal()) {
                client.url(url(options, port, path));
            } else {
                client.service(new ApiextensionsV1ServiceReference().namespace(options.namespace())
                        .name(options.service()).path(path));
            }
            specs.put(definition, new V1CustomResourceConversion().strategy("Webhook").webhook(
                    new V1WebhookConversion().clientConfig(client).conversionReviewVersions(List.of("v1"))));
        });
        return specs;
    }

    private static byte @Nullable [] bundle(String authorities) {
        return authorities.isEmpty() ? null : authorities.getBytes(StandardCharsets.UTF_8);
    }

    private static String url(WebhookOptions options, int port, String path) {
        return "https://" + options.address() + ":" + port + path;
    }

    private static V1ValidatingWebhook validating(Hook hook, WebhookOptions options, int port, String authorities) {
        Hook.Rules rules = hook.admission();
        return new V1ValidatingWebhook().name(hook.name()).clientConfig(client(hook, options, port, authorities))
                .admissionReviewVersions(List.of("v1")).sideEffects("None").timeoutSeconds(rules.timeoutSeconds())
                .failurePolicy(failurePolicy(rules)).rules(List.of(rule(hook)))
                .objectSelector(selector(rules.objects()))
                .namespaceSelector(selector(rules.namespaces()));
    }

    private static V1MutatingWebhook mutating(Hook hook, WebhookOptions options, int port, String authorities) {
        Hook.Rules rules = hook.admission();
        return new V1MutatingWebhook().name(hook.name()).clientConfig(client(hook, options, port, authorities))
                .admissionReviewVersions(List.of("v1")).sideEffects("None").timeoutSeconds(rules.timeoutSeconds())
                .failurePolicy(failurePolicy(rules)).rules(List.of(rule(hook)))
                .objectSelector(selector(rules.objects()))
                .namespaceSelector(selector(rules.namespaces())).reinvocationPolicy("IfNeeded");
    }

    private static AdmissionregistrationV1WebhookClientConfig client(Hook hook, WebhookOptions options, int port,
            String authorities) {
        AdmissionregistrationV1WebhookClientConfig client = new AdmissionregistrationV1WebhookClientConfig()
                .caBundle(bundle(authorities));
        return options.isLocal()
                ? client.url(url(options, port, hook.path()))
                : client.service(new AdmissionregistrationV1ServiceReference().namespace(options.namespace())
                        .name(options.service()).path(hook.path()));
    }

    private static String failurePolicy(Hook.Rules rules) {
        return rules.failurePolicy() == FailurePolicy.FAIL ? "Fail" : "Ignore";
    }

    private static @Nullable V1LabelSelector selector(LabelSelector labels) {
        return labels.isEverything() ? null : labels.toModel();
    }

    /**
     * The rule for a method. It also matches the type's other versions: the API server converts their objects to the
     * version of the class.
     */
    private static V1RuleWithOperations rule(Hook hook) {
        ResourceType type = hook.type();
        return new V1RuleWithOperations().apiGroups(List.of(type.group()))
                .apiVersions(List.of(type.isNamed() ? "*" : type.version()))
                .resources(List.of(type.plural())).scope("*").operations(hook.admission().operations().stream()
                        .map(operation -> operation.name().toUpperCase(Locale.ROOT)).toList());
    }

    /** The method behind a path; null if there is none. */
    @Nullable
    Hook admission(String path) {
        return admissions.get(path);
    }

    /** The conversions behind a path; null if there are none. */
    @Nullable
    List<Hook> conversions(String path) {
        return path.startsWith(CONVERT) ? conversions.get(path.substring(CONVERT.length())) : null;
    }
}
