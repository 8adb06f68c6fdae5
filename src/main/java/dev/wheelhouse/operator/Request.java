package dev.wheelhouse.operator;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;

/**
 * One object to reconcile.
 *
 * @param key its namespace and name
 * @param primary the object as the cache shows it; the operator's own copy
 * @param failures the number of times in a row that this object's reconciliation has failed
 */
public record Request<P extends KubernetesObject>(ObjectKey key, P primary, int failures) {}
