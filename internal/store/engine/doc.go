// Package engine is what the engines of the store have in common: how they read a
// statement, and how they close. It does not know any database.
package engine
