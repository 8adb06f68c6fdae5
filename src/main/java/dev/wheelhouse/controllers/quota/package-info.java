/**
 * The controller of ResourceQuotas: it writes into the status of each quota how much the namespace uses. The API server
 * adds what it admits; the controller counts again when something ends or goes, when a limit changes, and every five
 * minutes. {@link dev.wheelhouse.quota} contains the arithmetic.
 *
 * <p>Start with {@code QuotaDecisions}, which computes the status, and {@code QuotaContents}, which follows every type
 * that a quota may limit.
 */
@NullMarked
package dev.wheelhouse.controllers.quota;

import org.jspecify.annotations.NullMarked;
