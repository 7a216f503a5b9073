package agekit

var notices06 = []notice{}
