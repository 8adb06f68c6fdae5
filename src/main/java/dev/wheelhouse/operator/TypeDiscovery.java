package dev.wheelhouse.operator;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.manager.Preparation;
import dev.wheelhouse.operator.Declaration.Role;

/**
 * Asks the API server for what an operator's classes do not tell, before the operator is made: the versions, kinds and
 * scopes of types that are declared by their names, and whether a primary type without a class has a status. Thread
 * safe.
 */
final class TypeDiscovery<P extends KubernetesObject> implements Preparation {
    private final Operator<P> operator;
    private final Declaration<P> declared;
    private final @Nullable Preparation first;
    private final Set<ResourceType> asked;
    private volatile @Nullable Declaration<P> found;

    private record Answer(ResourceType type, PrimaryFacts facts) {}

    /** @param first the preparation that comes before; null for none */
    TypeDiscovery(Operator<P> operator, Declaration<P> declared, @Nullable Preparation first) {
        this.operator = operator;
        this.declared = declared;
        this.first = first;
        this.asked = declared.parts().filter(part -> part.type().isNamed()
                || part.role() == Role.PRIMARY && !declared.facts().known()).map(part -> part.type())
                .collect(Collectors.toSet());
        this.found = asked.isEmpty() ? declared : null;
    }

    boolean isNeeded() {
        return !asked.isEmpty();
    }

    /**
     * The declaration with the last answers of the API server, which is asked now if it was not asked before.
     *
     * @throws IllegalStateException if it does not serve a type
     */
    Declaration<P> declaration(KubeClient client) {
        String why = found == null ? look(client) : "";
        if (!why.isEmpty()) {
            throw new IllegalStateException(why);
        }
        return Objects.requireNonNull(found);
    }

    @Override
    public String prepare(ControllerContext context) {
        String why = first == null ? "" : first.prepare(context);
        return why.isEmpty() ? look(context.client()) : why;
    }

    /** @return the reason to wait, in a sentence; empty if everything was found */
    private String look(KubeClient client) {
        Map<ResourceType, ResourceType> types = new HashMap<>();
        PrimaryFacts facts = null;
        for (ResourceType type : asked) {
            Answer answer = versions(client, type).map(version -> answer(client, type, version))
                    .filter(Objects::nonNull).findFirst().orElse(null);
            if (answer == null) {
                return declared.name() + " waits until the API server serves " + type;
            }
            types.put(type, answer.type());
            facts = type.equals(declared.primary().type()) ? answer.facts() : facts;
        }
        found = Declaration.of(operator, new Declaration.Served(types, facts));
        return "";
    }

    /** The declared version of a type, or else the versions of its group, of which the server prefers the first. */
    private static Stream<String> versions(KubeClient client, ResourceType type) {
        if (!type.isNamed() || type.group().isEmpty()) {
            return Stream.of(type.isNamed() ? "v1" : type.version());
        }
        JsonNode group = client.find("/apis/" + type.group());
        return Stream.concat(Stream.of(group.path("preferredVersion")), group.path("versions").valueStream())
                .map(each -> each.path("version").asString("")).filter(version -> !version.isEmpty()).distinct();
    }

    /** The server's answer about a version of a type; null if it does not serve it. */
    private static @Nullable Answer answer(KubeClient client, ResourceType type, String version) {
        ResourceType asked = new ResourceType(type.group(), version, type.plural(), "", false);
        String path = asked.path("");
        Map<String, JsonNode> resources = new HashMap<>();
        client.find(path.substring(0, path.lastIndexOf('/'))).path("resources")
                .forEach(resource -> resources.put(resource.path("name").asString(""), resource));
        JsonNode resource = resources.get(type.plural());
        if (resource == null) {
            return null;
        }
        ResourceType served = new ResourceType(type.group(), version, type.plural(),
                resource.path("kind").asString(""), resource.path("namespaced").asBoolean(true));
        return new Answer(served, PrimaryFacts.served(served, resources.containsKey(type.plural() + "/status")));
    }
}
