package dev.wheelhouse.api;

/** An object of any type of which only the metadata is read ({@code meta.k8s.io/v1 PartialObjectMetadata}). */
@PublicApi
public final class PartialObjectMetadata extends AbstractKubernetesObject {}
