package agekit

var notices00 = []notice{}
