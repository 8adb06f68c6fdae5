package dev.wheelhouse.apiserver.auth;

/** The ways to authorize requests. */
public enum AuthorizationMode {
    /** Every authenticated user may do everything. */
    ALWAYS_ALLOW,
    /** The roles and bindings in the store decide. Nodes also have the rights that their pods need. */
    RBAC,
    /** The same, as users of kube-apiserver write it: {@code Node,RBAC}. */
    NODE_RBAC
}
