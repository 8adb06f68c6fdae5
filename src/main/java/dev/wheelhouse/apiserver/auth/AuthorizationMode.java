package dev.wheelhouse.apiserver.auth;

/** The ways to authorize requests. */
public enum AuthorizationMode {
    /** Every authenticated user may do everything. */
    ALWAYS_ALLOW,
    /** The roles and bindings in the store decide. */
    RBAC
}
