/**
 * Objects as the tables that kubectl prints. In flow objects as JSON trees, out flows a {@code meta.k8s.io/v1 Table}. Each kind is a
 * list of {@link dev.wheelhouse.apiserver.table.Column}s, collected by group; a column computes its cell from one object alone.
 * Everything runs on the caller's thread. There is no state but the immutable registry of columns.
 */
@NullMarked
package dev.wheelhouse.apiserver.table;

import org.jspecify.annotations.NullMarked;
