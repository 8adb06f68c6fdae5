package dev.wheelhouse.operator.webhook;

import java.util.List;

/**
 * The request that a webhook is asked about.
 *
 * @param namespace empty for a cluster-scoped object
 * @param name empty if the server is going to choose it
 * @param user the name of the user who writes
 * @param groups the groups of this user
 * @param dryRun whether nothing is going to be stored
 */
public record Admission(Operation operation, String namespace, String name, String user, List<String> groups,
        boolean dryRun) {}
