package dev.wheelhouse.apiserver.admission;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.RbacPolicies;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.protocol.WriteContext;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.webhook.WebhookClient;
import dev.wheelhouse.runtime.Clock;

/**
 * All admission of a write except quotas, in upstream's order: the namespace's life cycle, the writer's rights, the
 * limits of nodes, plugins, policies and webhooks that change the object, plugins, policies and webhooks that refuse it
 * (upstream:
 * {@code pkg/kubeapiserver/options/plugins.go}). Thread safe.
 */
public final class AdmissionChain {
    private final NamespaceLifecycle namespaces;
    private final WriterRights rights;
    private final NodeRestriction nodes;
    private final List<AdmissionPlugin> plugins;
    private final SigningRights signing;
    private final PodSecurity podSecurity;
    private final MutatingPolicies mutating;
    private final ValidatingPolicies validating;
    private final AdmissionWebhooks webhooks;

    public AdmissionChain(ObjectStore store, ResourceRegistry registry, Authorizer authorizer, RbacPolicies roles,
            WebhookClient client, Clock clock, Security security) {
        this.namespaces = new NamespaceLifecycle(store);
        this.rights = new WriterRights(authorizer, roles, registry, store);
        this.nodes = new NodeRestriction(store, authorizer);
        Stream<AdmissionPlugin> others = Stream.of(new PodPriorities(store), new DefaultTolerations(),
                new NotReadyTaint(), new RuntimeClasses(store), new DefaultClasses(store), new VolumeUse(store));
        this.plugins = Stream.concat(security.podAccounts()
                ? Stream.of(new LimitRanges(store), new PodAccounts(store))
                : Stream.of(new LimitRanges(store)), others).toList();
        this.signing = new SigningRights(authorizer);
        this.podSecurity = new PodSecurity(store, security.podSecurity());
        this.mutating = new MutatingPolicies(new BoundPolicies(store, registry, authorizer, "mutatingadmission"));
        this.validating = new ValidatingPolicies(new BoundPolicies(store, registry, authorizer, "validatingadmission"));
        this.webhooks = new AdmissionWebhooks(store, registry, authorizer, client, clock);
    }

    /**
     * Checks a creation before the object has its defaults.
     *
     * @throws dev.wheelhouse.apiserver.error.StatusException 403, 404 if the namespace takes no new objects or the
     * writer lacks a right
     */
    public void allowCreate(Target target, ObjectNode object, WriteContext context) {
        namespaces.allowCreate(target.type(), target.namespace(), Meta.nameOrBase(object));
        rights.checkCreate(target, object, context);
        nodes.check(Attributes.of(target, object, null, context));
    }

    /**
     * Checks a change before the object has its defaults.
     *
     * @throws dev.wheelhouse.apiserver.error.StatusException 403, 422 if the writer lacks a right
     */
    public void allowUpdate(Target target, ObjectNode object, ObjectNode old, WriteContext context) {
        rights.checkUpdate(target, object, old, context);
        nodes.check(Attributes.of(target, object, old, context));
    }

    /** @throws dev.wheelhouse.apiserver.error.StatusException 403 for an object that nobody may delete */
    public void allowDelete(Target target) {
        NamespaceLifecycle.allowDelete(target.type(), target.name());
    }

    /**
     * Changes an object that has its defaults, in place.
     *
     * @param old null for a new object
     * @throws dev.wheelhouse.apiserver.error.StatusException 403 if a plugin refuses the object
     */
    public void mutate(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {
        plugins.forEach(plugin -> plugin.mutate(type, object, old));
    }

    /**
     * Applies the mutating policies, then asks the mutating webhooks. If they change the object, plugins change it once
     * more, and so do those policies and webhooks that are to be called again (upstream:
     * {@code apiserver/pkg/admission/reinvocation.go}).
     *
     * @return the object that they want; the same one if they change nothing
     * @throws dev.wheelhouse.apiserver.error.StatusException if one of them refuses the write, or fails
     */
    public ObjectNode mutateDynamically(Attributes attributes, ObjectNode object) {
        Reinvocation ofPolicies = new Reinvocation();
        Reinvocation ofWebhooks = new Reinvocation();
        Attributes first = webhooks.mutate(mutating.mutate(attributes, ofPolicies), ofWebhooks);
        if (first.object() == null || first.object() == object) {
            return object;
        }
        ObjectNode changed = first.object().deepCopy();
        if (attributes.target().subresource().isEmpty()) {
            mutate(attributes.type(), changed, attributes.old());
        }
        Attributes second = webhooks.mutate(
                mutating.mutate(first.withObject(changed, first.old()), ofPolicies.again()), ofWebhooks.again());
        return second.object() == null ? changed : second.object();
    }

    /**
     * Asks policies and webhooks about a connection, or about the body of a subresource that is no view of its object,
     * such as an Eviction.
     *
     * @param completion changes the body after those that change it, and before those that refuse it
     * @return the body that they want; the same one if they change nothing
     * @throws dev.wheelhouse.apiserver.error.StatusException if one of them refuses it
     */
    public ObjectNode admit(Attributes asked, Consumer<ObjectNode> completion) {
        nodes.check(asked);
        ObjectNode wanted = mutateDynamically(asked, asked.subject());
        completion.accept(wanted);
        validate(asked.withObject(wanted, asked.old()));
        return wanted;
    }

    /**
     * Checks a deletion by the limits of nodes, webhooks and admission policies.
     *
     * @throws dev.wheelhouse.apiserver.error.StatusException if one of them refuses it
     */
    public void permit(Attributes deletion) {
        nodes.check(deletion);
        webhooks.mutate(deletion, new Reinvocation());
        validate(deletion);
    }

    /**
     * Checks a valid object, or a deletion, by plugins, admission policies and validating webhooks.
     *
     * @throws dev.wheelhouse.apiserver.error.StatusException if one of them refuses it
     */
    public void validate(Attributes attributes) {
        ObjectNode object = attributes.object();
        String subresource = attributes.target().subresource();
        if (object != null && (subresource.isEmpty() || subresource.equals("ephemeralcontainers"))) {
            plugins.forEach(plugin -> plugin.validate(attributes.type(), object, attributes.old()));
        }
        signing.check(attributes);
        podSecurity.check(attributes);
        validating.check(attributes);
        webhooks.validate(attributes);
    }

    /** Whether {@link #permit} may refuse deletions of a user. */
    public boolean concernsDeletions(User user) {
        return user.node() != null || validating.any() || webhooks.any();
    }
}
