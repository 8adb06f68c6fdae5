/**
 * The controllers of ServiceAccounts (upstream: {@code pkg/controller/serviceaccount}).
 * {@link dev.wheelhouse.controllers.serviceaccount.ServiceAccountController} gives each namespace its default account.
 * {@link dev.wheelhouse.controllers.serviceaccount.TokenController} fills Secrets of the type
 * {@code kubernetes.io/service-account-token}, and deletes them after their account.
 * {@link dev.wheelhouse.controllers.serviceaccount.LegacyTokenCleaner} deletes those that nobody has used for a year.
 * They read the informers' caches and write accounts and Secrets. {@code TokenDecisions} and {@code StaleTokens} are
 * the pure decisions.
 */
@NullMarked
package dev.wheelhouse.controllers.serviceaccount;

import org.jspecify.annotations.NullMarked;
