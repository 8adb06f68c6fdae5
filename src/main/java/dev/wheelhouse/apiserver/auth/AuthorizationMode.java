package dev.wheelhouse.apiserver.auth;

/** How requests are authorized. */
public enum AuthorizationMode {
    /** Whoever is let in may do everything. */
    ALWAYS_ALLOW,
    /** By the roles and bindings that the server itself keeps. */
    RBAC
}
