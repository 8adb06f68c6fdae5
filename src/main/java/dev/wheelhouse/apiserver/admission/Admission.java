package dev.wheelhouse.apiserver.admission;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.RbacPolicies;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.WriteContext;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.store.ObjectStore;

/**
 * All that other objects and rights have to say about a write, in upstream's order: the namespace's life, the writer's rights,
 * the plugins that change an object, those that refuse one, and the admission policies. Admission webhooks are not called. Thread safe.
 */
public final class Admission {
    private final NamespaceLifecycle namespaces;
    private final WriterRights grants;
    private final List<AdmissionPlugin> plugins;
    private final AdmissionPolicies policies;

    public Admission(ObjectStore store, ResourceRegistry registry, Authorizer authorizer, RbacPolicies roles) {
        this.namespaces = new NamespaceLifecycle(store);
        this.grants = new WriterRights(authorizer, roles, registry, store);
        this.plugins = List.of(new LimitRanges(store), new PodAccounts(store), new PodPriorities(store),
                new DefaultTolerations(), new RuntimeClasses(store), new DefaultClasses(store));
        this.policies = new AdmissionPolicies(store, registry);
    }

    /** @throws dev.wheelhouse.apiserver.error.ApiException 403, 404 if the writer may not create this object there */
    public void allowCreate(Target target, ObjectNode object, WriteContext context) {
        namespaces.allowCreate(target.type(), target.namespace(), Meta.name(object));
        grants.checkCreate(target, object, context);
    }

    /** @throws dev.wheelhouse.apiserver.error.ApiException 403, 422 if the writer may not make this change */
    public void allowUpdate(Target target, ObjectNode object, ObjectNode old, WriteContext context) {
        grants.checkUpdate(target, object, old, context);
    }

    /** @throws dev.wheelhouse.apiserver.error.ApiException 403 for an object that nobody may delete */
    public void allowDelete(Target target) {
        NamespaceLifecycle.allowDelete(target.type(), target.name());
    }

    /** Changes an object that has its defaults, in place. @param old null for a new object */
    public void mutate(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {
        plugins.forEach(plugin -> plugin.mutate(type, object, old));
    }

    /** @throws dev.wheelhouse.apiserver.error.ApiException if a plugin or an admission policy refuses the write of a valid object */
    public void validate(Attributes attributes) {
        ObjectNode object = attributes.object();
        if (object != null && attributes.target().subresource().isEmpty()) {
            plugins.forEach(plugin -> plugin.validate(attributes.type(), object, attributes.old()));
        }
        policies.check(attributes);
    }

    /** Whether {@link #validate} has anything to say about deletions. */
    public boolean concernsDeletions() {
        return policies.any();
    }
}
