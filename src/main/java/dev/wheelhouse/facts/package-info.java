/**
 * The facts of the types that Kubernetes defines, and what follows from them alone. Both the API server and the
 * controllers use this package; a fact is decided here once.
 *
 * <p>{@link dev.wheelhouse.facts.Schemas} looks up the fields of a type, {@link dev.wheelhouse.facts.BuiltInResource}
 * lists the resources, and {@link dev.wheelhouse.facts.Descriptions} has the texts of {@code kubectl explain}. They
 * read three tables from the class path. CONTRIBUTING.md says how the tables are generated from Kubernetes' sources.
 * Five more are written by hand, and {@link dev.wheelhouse.facts.RuleTables} reads them: {@code rules.tsv} has the
 * validation rules of the kinds, {@code warnings.tsv} their warnings, {@code defaults.tsv} their defaults,
 * {@code kinds.tsv} their columns and traits, {@code deprecations.tsv} the versions that are deprecated.
 * {@link dev.wheelhouse.facts.SemanticForm} tells whether two objects are equal to the API machinery,
 * {@link dev.wheelhouse.facts.QosClass} classifies pods, {@link dev.wheelhouse.facts.Quantities} reads amounts, and
 * {@link dev.wheelhouse.facts.CronSchedule} reads the schedules of CronJobs.
 *
 * <p>The tables never change at run time. Nothing here starts a thread or does other I/O.
 */
@NullMarked
package dev.wheelhouse.facts;

import org.jspecify.annotations.NullMarked;
