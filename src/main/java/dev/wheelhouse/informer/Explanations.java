package dev.wheelhouse.informer;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ResourceType;

/** Puts a failed list or watch into a sentence that says what to do about it. */
final class Explanations {
    private Explanations() {}

    static String of(ApiError e, String verb, ResourceType type, String namespace) {
        String message = String.valueOf(e.getMessage());
        if (e.isForbidden()) {
            String where = namespace.isEmpty() ? "in all namespaces" : "in namespace " + namespace;
            if (!type.namespaced()) {
                where = "at cluster scope";
            }
            String role = namespace.isEmpty() ? "ClusterRole" : "Role";
            return message + " - missing permission: verb " + verb + " on resource " + type.plural()
                    + " of API group \"" + type.group() + "\" " + where + "; grant it by a " + role
                    + " and its binding";
        }
        if (e.code() == 401) {
            return message
                    + " - the credentials were not accepted: check the kubeconfig's user, or the service account's token";
        }
        if (e.isNotFound()) {
            return message + " - the server has no " + type.groupResource() + " of version " + type.version()
                    + ": install its CustomResourceDefinition, or leave the type out";
        }
        if (e.isTooManyRequests()) {
            return message + " - the server asks to slow down; tried again after a backoff";
        }
        return message;
    }
}
