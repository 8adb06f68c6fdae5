package dev.wheelhouse.apiserver.admission;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.RbacPolicies;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.protocol.WriteContext;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.store.ObjectStore;

/**
 * All admission of a write except quotas, in upstream's order: the namespace's life cycle, the writer's rights, plugins
 * that change the object, plugins that refuse it, admission policies (upstream:
 * {@code pkg/kubeapiserver/options/plugins.go}). Thread safe.
 */
public final class Admission {
    private final NamespaceLifecycle namespaces;
    private final WriterRights rights;
    private final List<AdmissionPlugin> plugins;
    private final AdmissionPolicies policies;

    public Admission(ObjectStore store, ResourceRegistry registry, Authorizer authorizer, RbacPolicies roles) {
        this.namespaces = new NamespaceLifecycle(store);
        this.rights = new WriterRights(authorizer, roles, registry, store);
        this.plugins = List.of(new LimitRanges(store), new PodAccounts(store), new PodPriorities(store),
                new DefaultTolerations(), new RuntimeClasses(store), new DefaultClasses(store));
        this.policies = new AdmissionPolicies(store, registry);
    }

    /**
     * Checks a creation before the object has its defaults.
     *
     * @throws dev.wheelhouse.apiserver.error.ApiException 403, 404 if the namespace takes no new objects or the writer
     *        lacks a right
     */
    public void allowCreate(Target target, ObjectNode object, WriteContext context) {
        namespaces.allowCreate(target.type(), target.namespace(), Meta.name(object));
        rights.checkCreate(target, object, context);
    }

    /**
     * Checks a change before the object has its defaults.
     *
     * @throws dev.wheelhouse.apiserver.error.ApiException 403, 422 if the writer lacks a right
     */
    public void allowUpdate(Target target, ObjectNode object, ObjectNode old, WriteContext context) {
        rights.checkUpdate(target, object, old, context);
    }

    /** @throws dev.wheelhouse.apiserver.error.ApiException 403 for an object that nobody may delete */
    public void allowDelete(Target target) {
        NamespaceLifecycle.allowDelete(target.type(), target.name());
    }

    /**
     * Changes an object that has its defaults, in place.
     *
     * @param old null for a new object
     * @throws dev.wheelhouse.apiserver.error.ApiException 403 if a plugin refuses the object
     */
    public void mutate(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {
        plugins.forEach(plugin -> plugin.mutate(type, object, old));
    }

    /**
     * Checks a valid object, or a deletion, by plugins and admission policies.
     *
     * @throws dev.wheelhouse.apiserver.error.ApiException if one of them refuses it
     */
    public void validate(Attributes attributes) {
        ObjectNode object = attributes.object();
        if (object != null && attributes.target().subresource().isEmpty()) {
            plugins.forEach(plugin -> plugin.validate(attributes.type(), object, attributes.old()));
        }
        policies.check(attributes);
    }

    /** Whether {@link #validate} may refuse deletions. */
    public boolean concernsDeletions() {
        return policies.any();
    }
}
