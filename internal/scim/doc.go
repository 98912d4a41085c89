// Package scim is what SCIM 2.0 says of people and groups (RFC 7643, RFC 7644): the attributes that are
// kept here and their schemas, filters, what a PATCH makes of a resource, and the version of one.
//
// It owns what a request means. It is pure: it reads no clock and no store, and does not know where
// people and groups come from (people, service), who may change them (access), nor HTTP (api). What
// directories really send goes before the letter of the standard where the two disagree and the
// meaning is plain.
package scim
