/**
 * The columns of the tables that kubectl prints. A {@link dev.wheelhouse.apiserver.table.TableColumn} computes its cell
 * from one object, which it reads as an {@link dev.wheelhouse.apiserver.table.Item}. The strategies of
 * {@code apiserver.kinds} hold the columns of built-in kinds; {@link dev.wheelhouse.apiserver.table.CustomPrinters}
 * makes those that a custom resource definition declares. Everything runs on the caller's thread and has no state.
 */
@NullMarked
package dev.wheelhouse.apiserver.table;

import org.jspecify.annotations.NullMarked;
