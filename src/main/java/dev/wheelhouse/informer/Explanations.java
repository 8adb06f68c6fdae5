package dev.wheelhouse.informer;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;

/** Adds the remedy to the message of a failed list or watch, for operators. */
final class Explanations {
    private Explanations() {}

    static String of(KubeApiException e, String verb, ResourceType type, String namespace) {
        String message = String.valueOf(e.getMessage());
        if (e.isForbidden()) {
            String where = namespace.isEmpty() ? "in all namespaces" : "in namespace " + namespace;
            if (!type.namespaced()) {
                where = "at cluster scope";
            }
            String role = namespace.isEmpty() ? "ClusterRole" : "Role";
            return message + " - missing permission: verb " + verb + " on resource " + type.plural()
                    + " of API group \"" + type.group() + "\" " + where + "; grant it with a " + role
                    + " and its binding";
        }
        if (e.code() == 401) {
            return message
                    + " - the server rejected the credentials: check the kubeconfig's user or the service"
                    + " account's token";
        }
        if (e.isNotFound()) {
            return message + " - the server has no " + type.groupResource() + " of version " + type.version()
                    + ": install its CustomResourceDefinition, or do not watch this type";
        }
        if (e.isTooManyRequests()) {
            return message + " - the server limits the rate of requests; the next attempt follows after a backoff";
        }
        return message;
    }
}
